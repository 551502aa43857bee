import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

/** A folder of `src`. Each may import those before it, types included. */
export interface Room {
  name: string;
  /** What it is, in a line. */
  what: string;
  /** Where to start reading, from `src`. */
  start: string;
  /** Its folders in the order of their imports, `.` for its own files; those of one line do not import each other. @default any order */
  folders?: readonly (readonly string[])[];
  /** The only rooms that it imports. @default all before it */
  only?: readonly string[];
}

export const ROOMS: readonly Room[] = [
  {
    name: "base",
    what: "what any room may use: errors, files, texts, the calendar",
    start: "base/errors.ts",
    folders: [["text"], ["."], ["calendar"]],
  },
  {
    name: "calls",
    what: "a call: its members, the facts derived from it, what may not be kept",
    start: "calls/columns.ts",
    folders: [["."], ["attribution"], ["privacy"]],
  },
  {
    name: "service",
    what: "the platform's API; the walk through its pages, and the verdict",
    start: "service/paging/walk.ts",
    folders: [["api", "paging"]],
  },
  {
    name: "figures",
    what: "every figure, from columns of calls; pure, runs in a browser, too",
    start: "figures/metrics.ts",
    only: ["base"],
  },
  {
    name: "sources",
    what: "columns of calls from SQLite, for figures to group: filters, spend, sessions",
    start: "sources/session.ts",
  },
  {
    name: "config",
    what: "settings, calltally.yaml, what an export may ask for",
    start: "config/settings.ts",
    folders: [["request"], ["files"], ["."]],
  },
  {
    name: "warehouse",
    what: "the SQLite file: tables, views, the lock, damage, migrations",
    start: "warehouse/warehouse.ts",
  },
  {
    name: "intake",
    what: "reads any imported file: encoding, header, dates, numbers, totals",
    start: "intake/intake.ts",
  },
  {
    name: "export",
    what: "files: writers, formats, outlets, the manifest, statements, sentences",
    start: "export/job.ts",
    folders: [["letterhead", "statements"], ["sentences"], [".", "formats", "output"]],
  },
  {
    name: "features",
    what: "what the core does not import, a folder each; rooms ask them by list.ts",
    start: "features/feature.ts",
  },
  {
    name: "sync",
    what: "a pass from its plan to its certificate",
    start: "sync/sync-warehouse.ts",
  },
  {
    name: "schedule",
    what: "jobs at their times; health, metrics, the doorbell",
    start: "schedule/daemon.ts",
  },
  {
    name: "reports",
    what: "all files of a request; pages, mails, hooks, reports that are due",
    start: "reports/make-report.ts",
    folders: [["delivery", "page"], ["produce"], ["accounts"], ["."]],
  },
  {
    name: "operate",
    what: "what an operator asks: status, doctor, verify, backup, forget, jobs",
    start: "operate/status/read-status.ts",
    folders: [
      ["schema"],
      ["explain", "forget", "verify"],
      ["backup"],
      ["doctor", "status"],
      ["overview"],
      ["jobs"],
    ],
  },
  {
    name: "sandbox",
    what: "a service to try things with, written from its documents alone; the demo",
    start: "sandbox/app.ts",
    folders: [[".", "calls"], ["demo"]],
  },
  {
    name: "library",
    what: "what the package exports; a warehouse and a sync work in threads",
    start: "library/index.ts",
  },
  { name: "mcp", what: "tools for assistants", start: "mcp/tools.ts" },
  { name: "cli", what: "a file for each command; prints results", start: "cli/frame.ts" },
  {
    name: "tooling",
    what: "writes the package and the reference pages; not in the program",
    start: "tooling/package/build.ts",
  },
];

export const SRC = resolve(import.meta.dirname, "../../src");

/** Files of the program, from `src`. */
export const listFiles = () => globSync("**/*.{ts,tsx}", { cwd: SRC }).toSorted();

/** Files that a file imports, from `src`, types included. */
export function importsOf(file: string): string[] {
  const text = readFileSync(join(SRC, file), "utf8");
  return [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)]
    .map(([, path = ""]) => relative(SRC, resolve(dirname(join(SRC, file)), path)))
    .filter((imported) => !imported.startsWith(".."));
}

export const roomOf = (file: string) => file.split("/")[0] ?? "";

/** The folder within the room; `.` for files of the room itself. */
export const folderOf = (file: string) => file.split("/").slice(1, -1)[0] ?? ".";

/** The folders of `test` in addition to those of rooms, and what each holds. */
export const TEST_FOLDERS: Readonly<Record<string, string>> = {
  architecture: "rules of the tree: imports, names, types, SQL written by hand; this page",
  bench: "speed of the program, and of others next to it: `npm run bench`",
  conformance: "whether a service is as we read its document: `npm run conformance`",
  confusions: "whether a test notices that two like things are swapped: `npm run test:confusions`",
  crash: "kills and failing system calls: `npm run test:crash`",
  deletion: "whether the rest works without a capability: `npm run test:deletion`",
  docs: "blocks, commands, figures and links of pages",
  jobs: "scripts of `jobs/`, and workflows of CI",
  mutants: "whether a test notices a changed program: `npm run test:mutants`",
  scene: "three accounts in which nothing is equal: what each surface must show",
  simulation: "years of one account and of agencies: `npm run test:simulation`",
  support: "what tests share: services, warehouses, clocks, figures computed another way",
  surfaces: "each fact, figure, option and setting on each surface",
  text: "plain English; lists of all texts",
};
