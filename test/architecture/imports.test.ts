import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

/** Each folder may import folders of earlier lines, types included, and none of its own line. */
const ORDER = [
  ["base"],
  ["call"],
  ["calendar"],
  ["attribution", "paging", "api"],
  ["figures", "privacy"],
  ["rollup"],
  ["request"],
  ["config"],
  ["letterhead", "warehouse"],
  ["statements"],
  ["sentences"],
  ["intake"],
  ["delivery", "export", "notices", "spend"],
  ["features"],
  ["schema"],
  ["explain", "forget", "page", "verify"],
  ["backup", "produce", "sync"],
  ["schedule", "library"],
  ["reports"],
  ["doctor", "status", "demo"],
  ["mcp", "overview"],
  ["jobs"],
  ["cli"],
  ["reference", "package"],
];

/** The imports of a folder that may have fewer or more than the order allows. */
const ALSO: Readonly<Record<string, { only?: readonly string[]; also?: readonly string[] }>> = {
  // It also runs in a browser.
  figures: { only: ["base", "calendar"] },
  // It serves calls, and defines the rest of the wire format independently.
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

/** The importers of features, except their own files, the list of features, and roots. */
const REACH_IN = {
  cluster: ["reports/produce/published-source.ts"],
  conversions: ["operate/explain/explain-call.ts"],
  explore: ["operate/verify/verify-files.ts"],
  restatements: ["reports/due-report.ts"],
};
/** They receive everything. */
const ROOTS = ["cli", "jobs", "library", "mcp", "status", "doctor", "demo", "schema"];
const featureOf = (file: string) => /^features\/([^/]+)\//.exec(file)?.[1];

function importsOf(file: string): string[] {
  const text = readFileSync(join(SRC, file), "utf8");
  return [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)]
    .map(([, path = ""]) => relative(SRC, resolve(dirname(join(SRC, file)), path)))
    .filter((imported) => !imported.startsWith(".."));
}

describe("imports", () => {
  it("enter a feature only through the listed files", () => {
    const found: Record<string, string[]> = {};
    for (const file of globSync("**/*.{ts,tsx}", { cwd: SRC }).toSorted()) {
      if (file === "features/list.ts" || ROOTS.includes(folderOf(file))) continue;
      for (const feature of new Set(importsOf(file).map(featureOf))) {
        if (feature === undefined || feature === featureOf(file)) continue;
        found[feature] = [...(found[feature] ?? []), file];
      }
    }
    expect(found).toEqual(REACH_IN);
  });

  it("follow the order of the list in one direction", () => {
    const files = globSync("**/*.{ts,tsx}", { cwd: SRC });
    const found = files.flatMap((file) =>
      importsOf(file)
        .filter((imported) => !mayImport(file, imported))
        .map((imported) => `${file} imports ${imported}`),
    );
    expect(found).toEqual([]);
    const folders = new Set(files.map(folderOf));
    expect([...folders].filter((folder) => levelOf(folder) < 0)).toEqual(["sandbox"]);
  });
});
