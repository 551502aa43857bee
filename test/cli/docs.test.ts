import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { readDocsPages } from "../../src/cli/commands/docs.ts";
import { calltally } from "../support/run.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const PAGES = readDocsPages("docs");

describe("calltally docs", () => {
  it("lists every page with its topic", async () => {
    using folder = makeTempFolder();
    const { code, stdout, stderr } = await calltally(["docs"], { cwd: folder.path });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const lines = stdout.split("\n");
    const text = lines.join(" ").replace(/ +/g, " ");
    for (const { name, about } of PAGES) expect(text).toContain(` ${name} ${about}`);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it("prints a page unchanged from any folder, whatever its calltally.yaml contains", async () => {
    using folder = makeTempFolder();
    for (const page of PAGES.filter(({ name }) => ["figures", "exit-codes"].includes(name))) {
      expect(await calltally(["docs", page.name], { cwd: folder.path })).toEqual({
        code: 0,
        stdout: readFileSync(`docs/${page.path}`, "utf8"),
        stderr: "",
      });
    }
  });

  it("prints the path of the pages with --path", async () => {
    using folder = makeTempFolder();
    const cwd = folder.path;
    const all = await calltally(["docs", "--path"], { cwd });
    expect(resolve(all.stdout.trim())).toBe(resolve("docs"));
    const one = await calltally(["docs", "exit-codes", "--path"], { cwd });
    expect(one.stdout).toBe(`${join(all.stdout.trim(), "reference/exit-codes.md")}\n`);
  });

  it("exits with 2 for an unknown page, and suggests the nearest", async () => {
    using folder = makeTempFolder();
    expect(await calltally(["docs", "setings"], { cwd: folder.path })).toEqual({
      code: 2,
      stdout: "",
      stderr: "calltally: Cannot show the page setings: no such page\nDid you mean settings?\n",
    });
    const { stderr } = await calltally(["docs", "something-else"], { cwd: folder.path });
    expect(stderr).toContain("`calltally docs` lists them.");
  });

  it.each([
    { word: "exports", pages: "figures" },
    { word: "SQL", pages: "warehouse or cookbook" },
    { word: "slack", pages: "reports" },
  ])("suggests the pages about $word", async ({ word, pages }) => {
    using folder = makeTempFolder();
    const { code, stderr } = await calltally(["docs", word], { cwd: folder.path });
    expect(code).toBe(2);
    expect(stderr.split("\n")[1]).toBe(`Did you mean ${pages}?`);
  });
});
