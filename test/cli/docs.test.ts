import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { readDocsPages } from "../../src/cli/commands/docs.ts";
import { makeFolder } from "./folder.ts";

const PAGES = readDocsPages("docs");

it("docs lists every page with its topic", async () => {
  using folder = makeFolder();
  const { code, stdout, stderr } = await folder.run("docs");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const lines = stdout.split("\n");
  const text = lines.join(" ").replace(/ +/g, " ");
  for (const { name, about } of PAGES) expect(text).toContain(` ${name} ${about}`);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});

it("docs prints a page unchanged from any folder, whatever its calltally.yaml contains", async () => {
  using folder = makeFolder();
  for (const page of PAGES.filter(({ name }) => ["figures", "exit-codes"].includes(name))) {
    expect(await folder.run("docs", page.name)).toEqual({
      code: 0,
      stdout: readFileSync(`docs/${page.path}`, "utf8"),
      stderr: "",
    });
  }
});

it("docs prints the path of the pages with --path", async () => {
  using folder = makeFolder();
  const all = await folder.run("docs --path");
  expect(resolve(all.stdout.trim())).toBe(resolve("docs"));
  const one = await folder.run("docs exit-codes --path");
  expect(one.stdout).toBe(`${join(all.stdout.trim(), "reference/exit-codes.md")}\n`);
});
