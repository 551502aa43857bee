import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Context } from "./context.ts";

/**
 * - `needs no file`: works without `calltally.yaml`, so it has no `--config` and `--account` either
 * - `loads its file`: reads the file itself, because its problems are what it shows
 * - `writes personal files`: writes files that may name people, so their folders are closed to others
 * - `remarks itself`: reports odd settings in its own way, in a check or its log
 */
export type Trait = "needs no file" | "loads its file" | "writes personal files" | "remarks itself";

/** A command: its line in the help of the program, what is special about it, and the module that declares it. */
interface Entry {
  summary: string;
  traits: readonly Trait[];
  load: () => Promise<{ command: (context: Context) => CommandUnknownOpts }>;
}

/** All commands, by what one wants to do. */
export const TASKS: Readonly<Record<string, Readonly<Record<string, Entry>>>> = {
  "Start here": {
    demo: {
      summary: "try everything without an account",
      traits: ["needs no file"],
      load: () => import("./commands/demo.ts"),
    },
    init: {
      summary: "write calltally.yaml for a first account and report",
      traits: ["needs no file", "remarks itself"],
      load: () => import("./commands/init.ts"),
    },
    sync: {
      summary: "copy calls from the API into the warehouse",
      traits: ["writes personal files"],
      load: () => import("./commands/sync.ts"),
    },
  },
  "Figures and files": {
    export: {
      summary: "write rollups, calls or ad conversions as files",
      traits: ["writes personal files"],
      load: () => import("./commands/export.ts"),
    },
    report: {
      summary: "write a page of charts and tables to look at",
      traits: ["writes personal files"],
      load: () => import("./commands/report.ts"),
    },
    run: {
      summary: "make reports of calltally.yaml, and deliver them",
      traits: ["writes personal files"],
      load: () => import("./commands/run.ts"),
    },
    spend: { summary: "import what ads cost", traits: [], load: () => import("./commands/spend.ts") },
    outcome: { summary: "import what calls earned", traits: [], load: () => import("./commands/outcome.ts") },
    restatements: {
      summary: "list exported figures that changed, and why",
      traits: [],
      load: () => import("./commands/restatements.ts"),
    },
    uploads: {
      summary: "list files of conversions, and take one back",
      traits: [],
      load: () => import("./commands/uploads.ts"),
    },
  },
  "Query the warehouse": {
    query: { summary: "query the warehouse in SQL", traits: [], load: () => import("./commands/query.ts") },
    schema: {
      summary: "describe the tables, views and columns",
      traits: [],
      load: () => import("./commands/schema.ts"),
    },
    explain: {
      summary: "show how a call was attributed, and why",
      traits: [],
      load: () => import("./commands/explain.ts"),
    },
    mcp: {
      summary: "answer the questions of an assistant, over MCP",
      traits: [],
      load: () => import("./commands/mcp.ts"),
    },
    channels: {
      summary: "show which calls each line of the file of channels decides, and try a new file",
      traits: [],
      load: () => import("./commands/channels.ts"),
    },
    hygiene: {
      summary: "find misspelt and contradictory tags, and mend them",
      traits: [],
      load: () => import("./commands/hygiene.ts"),
    },
    topics: {
      summary: "count calls by what was said, and try new topics",
      traits: [],
      load: () => import("./commands/topics.ts"),
    },
  },
  Operation: {
    status: {
      summary: "show how fresh and complete the warehouse is",
      traits: [],
      load: () => import("./commands/status.ts"),
    },
    verify: {
      summary: "check that the last proven sync was complete",
      traits: [],
      load: () => import("./commands/verify.ts"),
    },
    reconcile: {
      summary: "compare a list of calls, such as the platform's own, with the copy",
      traits: [],
      load: () => import("./commands/reconcile.ts"),
    },
    doctor: {
      summary: "find problems, and show how to fix them",
      traits: ["remarks itself"],
      load: () => import("./commands/doctor.ts"),
    },
    schedule: {
      summary: "run the jobs on their schedule until stopped",
      traits: ["writes personal files", "remarks itself"],
      load: () => import("./commands/schedule.ts"),
    },
    job: {
      summary: "run one job once, for use with cron or systemd",
      traits: ["writes personal files", "remarks itself"],
      load: () => import("./commands/job.ts"),
    },
    config: {
      summary: "check, show and describe calltally.yaml",
      traits: ["loads its file"],
      load: () => import("./commands/config.ts"),
    },
    backup: {
      summary: "copy the warehouse into one file, and verify the copy",
      traits: [],
      load: () => import("./commands/backup.ts"),
    },
    restore: {
      summary: "replace the warehouse with a backup",
      traits: [],
      load: () => import("./commands/restore.ts"),
    },
    publish: {
      summary: "copy the facts to a ClickHouse cluster, and compare",
      traits: [],
      load: () => import("./commands/publish.ts"),
    },
  },
  "Personal data": {
    forget: {
      summary: "remove a caller's personal data for good",
      traits: [],
      load: () => import("./commands/forget.ts"),
    },
    privacy: {
      summary: "show when personal data was removed",
      traits: [],
      load: () => import("./commands/privacy.ts"),
    },
    "remove-account": {
      summary: "remove everything of an account from this machine",
      traits: [],
      load: () => import("./commands/remove-account.ts"),
    },
    prune: {
      summary: "remove what the keep settings no longer allow",
      traits: [],
      load: () => import("./commands/prune.ts"),
    },
  },
  "At the service": {
    calls: {
      summary: "show a page of the service's list, as served",
      traits: [],
      load: () => import("./commands/calls.ts"),
    },
    insight: {
      summary: "read the details of insights",
      traits: [],
      load: () => import("./commands/insight.ts"),
    },
    webhook: {
      summary: "change webhooks at the service",
      traits: [],
      load: () => import("./commands/webhook.ts"),
    },
  },
  "Help and development": {
    docs: {
      summary: "list the pages of the documentation, or read one",
      traits: ["needs no file"],
      load: () => import("./commands/docs.ts"),
    },
    completion: {
      summary: "print a completion script for a shell",
      traits: ["needs no file"],
      load: () => import("./commands/completion.ts"),
    },
    sandbox: {
      summary: "serve the documented operations locally with made-up data",
      traits: ["needs no file"],
      load: () => import("./commands/sandbox.ts"),
    },
  },
};

const ENTRIES = Object.values(TASKS).flatMap((task) => Object.entries(task));

export const COMMANDS: readonly string[] = ENTRIES.map(([name]) => name);

/** Called only by the shells' scripts. */
export const COMPLETE = "complete";
const TRAITS: ReadonlyMap<string, readonly Trait[]> = new Map([
  ...ENTRIES.map(([name, { traits }]) => [name, traits] as const),
  [COMPLETE, ["needs no file", "remarks itself"]],
]);

/** Whether a command, or the one that it is below, has a trait. */
export function hasTrait(command: CommandUnknownOpts, trait: Trait): boolean {
  const { parent } = command;
  return parent?.parent ? hasTrait(parent, trait) : TRAITS.get(command.name())?.includes(trait) === true;
}
