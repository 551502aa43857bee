import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

/** Each folder may import those of earlier lines, types included, and none of its own line. */
const ORDER = [
  ["base"],
  ["call"],
  ["calendar", "attribution", "paging", "api"],
  ["figures", "privacy"],
  ["rollup"],
  ["request"],
  ["config"],
  ["warehouse"],
  ["statements"],
  ["cluster", "delivery", "export", "insights", "spend", "webhooks"],
  ["conversions", "features", "notices", "restatements"],
  ["schema"],
  ["explain", "forget", "page", "verify"],
  ["backup", "produce", "sync"],
  ["schedule", "library"],
  ["reports"],
  ["doctor", "status", "demo"],
  ["mcp"],
  ["jobs"],
  ["cli"],
  ["reference", "package"],
];

/** What a folder may import where that is less, or more, than the order allows. */
const ALSO: Readonly<Record<string, { only?: readonly string[]; also?: readonly string[] }>> = {
  // It also runs in a browser.
  figures: { only: ["base", "calendar"] },
  // It serves calls, and defines the rest of the wire format for itself.
  sandbox: { only: ["call"] },
  demo: { also: ["sandbox"] },
  cli: { also: ["sandbox"] },
};
/** The only commands that import jobs. */
const RUN_JOBS = ["cli/commands/job.ts", "cli/commands/schedule.ts"];

const SRC = resolve(import.meta.dirname, "../../src");
const folderOf = (file: string) => file.split("/")[0] ?? "";
const levelOf = (folder: string) => ORDER.findIndex((level) => level.includes(folder));

function mayImport(file: string, imported: string): boolean {
  const [from, to] = [folderOf(file), folderOf(imported)];
  if (from === to || ALSO[from]?.also?.includes(to)) return true;
  if (to === "jobs" && from === "cli") return RUN_JOBS.includes(file);
  if (to === "sandbox") return false;
  return ALSO[from]?.only?.includes(to) ?? levelOf(to) < levelOf(from);
}

/** Features, and how many files elsewhere may import them; commands may, too. */
const MOST_IMPORTERS = 3;

describe("imports", () => {
  it("reach into a feature from few files outside of commands", () => {
    const files = globSync("**/*.{ts,tsx}", { cwd: SRC }).filter(
      (file) => !/^(?:features|cli|demo)\//.test(file),
    );
    const importers = files.filter((file) =>
      /from "[./]+features\//.test(readFileSync(join(SRC, file), "utf8")),
    );
    expect(importers.length).toBeLessThanOrEqual(MOST_IMPORTERS);
  });

  it("run one way, in the order of the list", () => {
    const files = globSync("**/*.{ts,tsx}", { cwd: SRC });
    const found = files.flatMap((file) =>
      [...readFileSync(join(SRC, file), "utf8").matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)]
        .map(([, path = ""]) => relative(SRC, resolve(dirname(join(SRC, file)), path)))
        .filter((imported) => !imported.startsWith("..") && !mayImport(file, imported))
        .map((imported) => `${file} imports ${imported}`),
    );
    expect(found).toEqual([]);
    const folders = new Set(files.map(folderOf));
    expect([...folders].filter((folder) => levelOf(folder) < 0)).toEqual(["sandbox"]);
  });
});
