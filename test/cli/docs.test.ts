import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { readDocsPages } from "../../src/cli/docs-pages.ts";
import { calltally } from "../support/run.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { startOnTerminal } from "./terminal.ts";

const PAGES = readDocsPages("docs");

describe("calltally docs", () => {
  it("lists every page with what it tells, and where they are", async () => {
    using folder = makeTempFolder();
    const { code, stdout, stderr } = await calltally(["docs"], { cwd: folder.path });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const [first, ...lines] = stdout.split("\n");
    expect(resolve(first ?? "")).toBe(resolve("docs"));
    const text = lines.join(" ").replace(/ +/g, " ");
    for (const { name, about } of PAGES) expect(text).toContain(` ${name} ${about}`);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it("prints a page as it is, from any folder and whatever calltally.yaml there holds", async () => {
    using folder = makeTempFolder();
    for (const page of PAGES.filter(({ name }) => ["figures", "exit-codes"].includes(name))) {
      expect(await calltally(["docs", page.name], { cwd: folder.path })).toEqual({
        code: 0,
        stdout: readFileSync(`docs/${page.path}`, "utf8"),
        stderr: "",
      });
    }
  });

  it("ends with 2 for a page that there is not, and names the nearest", async () => {
    using folder = makeTempFolder();
    expect(await calltally(["docs", "setings"], { cwd: folder.path })).toEqual({
      code: 2,
      stdout: "",
      stderr: "calltally: Cannot show the page setings: there is none of this name\nDid you mean settings?\n",
    });
    const { stderr } = await calltally(["docs", "something-else"], { cwd: folder.path });
    expect(stderr).toContain("`calltally docs` lists them.");
  });

  it.each([
    { word: "exports", page: "figures" },
    { word: "SQL", page: "cookbook" },
    { word: "slack", page: "delivery" },
  ])("names the page about $word", async ({ word, page }) => {
    using folder = makeTempFolder();
    const { code, stderr } = await calltally(["docs", word], { cwd: folder.path });
    expect(code).toBe(2);
    expect(stderr.split("\n")[1]).toBe(`Did you mean ${page}?`);
  });

  it.each([
    { PAGER: "sed s/^/paged:/", shown: "paged:# Exit codes" },
    { PAGER: "no-such-pager", shown: "# Exit codes" },
    { PAGER: "", shown: "# Exit codes" },
  ])("shows it on a terminal by PAGER=$PAGER", async ({ PAGER, shown }) => {
    using folder = makeTempFolder();
    await using terminal = startOnTerminal(["docs", "exit-codes"], { cwd: folder.path, env: { PAGER } });
    expect(await terminal.ended).toBe(0);
    expect(terminal.shown.replaceAll("\r", "").split("\n")[0]).toBe(shown);
  });

  it("folds prose to the terminal, and leaves code and tables alone", async () => {
    using folder = makeTempFolder();
    const options = { cwd: folder.path, env: { PAGER: "" } };
    await using terminal = startOnTerminal(["docs", "operating"], options);
    expect(await terminal.ended).toBe(0);
    const page = readFileSync("docs/operating.md", "utf8");
    const lines = terminal.shown.replaceAll("\r", "").split("\n");
    const isFolded = (line: string) => line.length <= 80 || page.split("\n").includes(line);
    expect(lines.filter((line) => !isFolded(line))).toEqual([]);
    expect(lines.filter((line) => line.length > 80 && !/^(?:\|| {4}|ok )/.test(line))).toEqual([]);
    expect(lines).toContain("2. Make a backup: a new version may migrate the warehouse, and an older one");
    expect(lines).toContain("   refuses a newer file (exit 7).");
    expect(terminal.shown.split(/\s+/)).toEqual(page.split(/\s+/));
  });
});
