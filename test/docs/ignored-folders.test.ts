import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

/** A folder of the working folder that a command in the pages writes to. */
const WRITTEN = /(?:--out|calltally backup|folder:) ([a-z]\w+)\/?(?=[/{\s])/g;

it(".gitignore has every folder with calls or secrets that a page suggests", () => {
  const pages = ["README.md", ...globSync("docs/*.md")].map((path) => readFileSync(path, "utf8")).join("\n");
  const folders = new Set([...pages.matchAll(WRITTEN)].map(([, folder]) => folder));
  const ignored = readFileSync(".gitignore", "utf8").split("\n");
  expect([...folders]).toEqual(expect.arrayContaining(["backups", "calling", "data", "uploads"]));
  const isIgnored = (folder: string | undefined) =>
    ignored.includes(`/${folder}/`) || ignored.includes(`${folder}/*`);
  expect([...folders].filter((folder) => !isIgnored(folder))).toEqual([]);
});
