import { statSync } from "node:fs";
import { join } from "node:path";
import { makeTempFolder } from "../support/temp-folder.ts";
import { type Finding, median, medianUsage, ratioOf } from "./finding.ts";
import type { BenchOptions } from "./options.ts";
import { measureCalltally, startPageServer, type Usage } from "./process.ts";
import { prepareRows } from "./rows.ts";

const NO_WORDS = { CALLTALLY_KEEP_TRANSCRIPTS: "never", CALLTALLY_KEEP_RECORDING_URLS: "never" };

/** Retention settings. */
const KEPT = {
  "all is kept": {},
  "no transcripts and links": NO_WORDS,
  "no summaries and numbers either": {
    ...NO_WORDS,
    CALLTALLY_KEEP_SUMMARIES: "never",
    CALLTALLY_KEEP_CALLER_NUMBERS: "never",
  },
};

/** How long does the first load take, and how large is its file, if less of the calls is kept? */
export async function* keep({ calls: sizes, runs }: BenchOptions): AsyncGenerator<Finding> {
  for (const calls of sizes) {
    await prepareRows(calls);
    await using server = await startPageServer(calls);
    const loads = new Map<string, Load[]>(Object.keys(KEPT).map((what) => [what, []]));
    for (let run = 0; run < runs; run++) {
      for (const [what, env] of Object.entries(KEPT)) {
        loads.get(what)?.push(await load({ ...server.env, ...env }));
      }
    }
    const [all = []] = loads.values();
    const seconds = (times: readonly Load[]) => times.map((time) => time.seconds);
    const bytes = (times: readonly Load[]) => times.map((time) => time.bytes);
    for (const [what, times] of loads) {
      const usage = medianUsage(times);
      const time = { value: ratioOf(seconds(times), seconds(all)), of: "of the time where all is kept" };
      yield { what: `first load: ${what}`, calls, ...usage, ratio: time };
      const size = {
        value: ratioOf(bytes(times), bytes(all)),
        of: `of the file where all is kept, ${(median(bytes(times)) / 1e6).toFixed(1)} MB`,
        ...(times !== all && { atMost: 0.5 }),
      };
      yield { what: `its file: ${what}`, calls, ...usage, peakMb: undefined, ratio: size };
    }
  }
}

type Load = Usage & { bytes: number };

async function load(env: Record<string, string>): Promise<Load> {
  using folder = makeTempFolder();
  const database = join(folder.path, "calls.db");
  const usage = await measureCalltally(["sync", "--full", "--json", "--database", database], env);
  return { ...usage, bytes: statSync(database).size };
}
