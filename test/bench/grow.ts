import { join } from "node:path";
import { makeTempFolder } from "../support/temp-folder.ts";
import { type Finding, median, ratioOf } from "./finding.ts";
import type { BenchOptions } from "./options.ts";
import { measureCalltally, startPageServer } from "./process.ts";

/** What an operator or an analyst does with a warehouse that is there, and how much longer it may take at the largest size. */
const COMMANDS: readonly { what: string; args: readonly string[]; atMost?: number }[] = [
  { what: "hourly sync, no news", args: ["sync", "--incremental"], atMost: 1.3 },
  { what: "three default rollups", args: ["export"] },
  {
    what: "channel, campaign by month",
    args: [
      "export",
      "--by",
      "channel,campaign",
      "--grain",
      "month",
      "--from",
      "2026-08-01",
      "--to",
      "2026-10-31",
    ],
  },
  {
    what: "utm_source by day, a week",
    args: ["export", "utm_source", "--grain", "day", "--from", "2026-10-25", "--to", "2026-10-31"],
  },
  { what: "status", args: ["status"], atMost: 2 },
  { what: "doctor", args: ["doctor"], atMost: 2 },
];

/** How much longer does each command take as the warehouse grows? */
export async function* grow({ calls: sizes, runs }: BenchOptions): AsyncGenerator<Finding> {
  const smallest = new Map<string, number[]>();
  for (const calls of sizes) {
    using folder = makeTempFolder();
    await using server = await startPageServer(calls);
    const env = {
      ...server.env,
      CALLTALLY_DATABASE: join(folder.path, "calls.db"),
      CALLTALLY_EXPORT_DIR: join(folder.path, "exports"),
    };
    await measureCalltally(["sync", "--full"], env);
    for (const { what, args, atMost } of COMMANDS) {
      const taken = { seconds: [] as number[], peaks: [] as number[] };
      for (let run = 0; run < runs; run++) {
        const { seconds, peakMb } = await measureCalltally(args, env);
        taken.seconds.push(seconds);
        taken.peaks.push(peakMb);
      }
      const first = smallest.get(what);
      if (first === undefined) smallest.set(what, taken.seconds);
      const of = `times that of ${sizes[0]} calls`;
      const ratio = first && {
        value: ratioOf(taken.seconds, first),
        of,
        ...(atMost !== undefined && calls === sizes.at(-1) && { atMost }),
      };
      yield { what, calls, seconds: median(taken.seconds), peakMb: Math.max(...taken.peaks), ratio };
    }
  }
}
