import { rmSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { makeTempFolder } from "../support/temp-folder.ts";
import { enlarge } from "./enlarge.ts";
import { type Finding, medianUsage } from "./finding.ts";
import type { BenchOptions } from "./options.ts";
import { measureCalltally, startPageServer, type Usage } from "./process.ts";

/** The calls loaded by HTTP; larger warehouses are enlarged copies of that one. */
const MAX_LOADED = 1_000_000;
/** With more, each command runs once. */
const MAX_REPEATED = 200_000;
const BACKUP = "backup.db";

interface Command {
  what: string;
  /** The arguments for a run with a warehouse. */
  args: (run: number, database: string) => readonly string[];
  env?: (run: number) => Record<string, string>;
  /** How much longer it may take at the largest size. */
  atMost?: number;
}

const AUTUMN = ["--from", "2026-08-01", "--to", "2026-10-31"];
const WEEK = ["--from", "2026-10-25", "--to", "2026-10-31"];

/** Commands of operators and analysts for an existing warehouse; those that change it come last. */
const COMMANDS: readonly Command[] = [
  { what: "hourly sync, no news", args: () => ["sync", "--incremental"], atMost: 1.3 },
  { what: "three default rollups", args: () => ["export"] },
  {
    what: "channel, campaign by month, 3 months",
    args: () => ["export", "--by", "channel,campaign", "--grain", "month", ...AUTUMN],
  },
  {
    what: "channel, campaign by month, all",
    args: () => ["export", "--by", "channel,campaign", "--grain", "month"],
  },
  { what: "utm_source by day, a week", args: () => ["export", "utm_source", "--grain", "day", ...WEEK] },
  { what: "report, a week", args: () => ["report", ...WEEK] },
  { what: "status", args: () => ["status"], atMost: 2 },
  { what: "doctor", args: () => ["doctor"], atMost: 2 },
  { what: "verify", args: () => ["verify"] },
  { what: "backup", args: (_, database) => ["backup", join(database, "..", BACKUP)] },
  { what: "forget a caller", args: (run, database) => ["forget", callerOf(database, run)] },
  {
    what: "a change of rules, by sync",
    args: () => ["sync", "--incremental"],
    env: (run) => ({ CALLTALLY_QUALIFIED_SECONDS: String(90 + run) }),
  },
];

/** How much longer does each command take as the warehouse grows? */
export async function* grow({ calls: sizes, runs }: BenchOptions): AsyncGenerator<Finding> {
  const smallest = new Map<string, number>();
  for (const calls of sizes) {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    const loaded = await loadCalls(calls, database);
    await using server = await startPageServer(loaded, 0, calls);
    const env = {
      ...server.env,
      CALLTALLY_DATABASE: database,
      CALLTALLY_EXPORT_DIR: join(folder.path, "exports"),
    };
    await measureCalltally(["sync", "--rebind"], env); // this server has another address
    for (const { what, args, env: changed, atMost } of COMMANDS) {
      const taken: Usage[] = [];
      for (let run = 0; run < (calls > MAX_REPEATED ? 1 : runs); run++) {
        taken.push(await measureCalltally(args(run, database), { ...env, ...changed?.(run) }));
        rmSync(join(folder.path, BACKUP), { force: true });
      }
      const usage = medianUsage(taken);
      const first = smallest.get(what);
      if (first === undefined) smallest.set(what, usage.cpuSeconds);
      const ratio =
        first === undefined
          ? undefined
          : {
              value: usage.cpuSeconds / first,
              of: `times the CPU of ${sizes[0]} calls`,
              ...(atMost !== undefined && calls === sizes.at(-1) && { atMost }),
            };
      yield { what: calls === loaded ? what : `${what} (facts made)`, calls, ...usage, ratio };
    }
  }
}

/** Fills a warehouse; returns how many of its calls came by HTTP. */
async function loadCalls(calls: number, database: string): Promise<number> {
  const loaded = Math.min(calls, MAX_LOADED);
  if (calls % loaded !== 0) throw new Error(`${calls} is no multiple of ${MAX_LOADED}`);
  await using server = await startPageServer(loaded);
  await measureCalltally(["sync", "--full"], { ...server.env, CALLTALLY_DATABASE: database });
  if (calls > loaded) enlarge(database, calls / loaded);
  return loaded;
}

/** Returns the number of another caller for each run. */
function callerOf(database: string, run: number): string {
  const sqlite = new Database(database, { readonly: true });
  try {
    return String(sqlite.prepare("SELECT caller FROM callers LIMIT 1 OFFSET ?").pluck().get(run));
  } finally {
    sqlite.close();
  }
}
