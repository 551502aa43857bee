import { statSync } from "node:fs";
import { join } from "node:path";
import { makeTempFolder } from "../support/temp-folder.ts";
import { type Finding, median, ratioOf } from "./finding.ts";
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
    const loads = new Map<string, (Usage & { bytes: number })[]>(Object.keys(KEPT).map((what) => [what, []]));
    for (let run = 0; run < runs; run++) {
      for (const [what, env] of Object.entries(KEPT)) {
        loads.get(what)?.push(await load({ ...server.env, ...env }));
      }
    }
    const [all = []] = loads.values();
    for (const [what, times] of loads) {
      const of = (member: "seconds" | "cpuSeconds" | "peakMb" | "bytes") => times.map((time) => time[member]);
      const usage = { seconds: median(of("seconds")), cpuSeconds: median(of("cpuSeconds")) };
      const time = ratioOf(
        of("seconds"),
        all.map(({ seconds }) => seconds),
      );
      yield {
        what: `first load: ${what}`,
        calls,
        ...usage,
        peakMb: median(of("peakMb")),
        ratio: { value: time, of: "of the time where all is kept" },
      };
      const bytes = ratioOf(
        of("bytes"),
        all.map(({ bytes }) => bytes),
      );
      const goal = times === all ? {} : { atMost: 0.5 };
      const ratio = {
        value: bytes,
        of: `of the file where all is kept, ${toMb(median(of("bytes")))} MB`,
        ...goal,
      };
      yield { what: `its file: ${what}`, calls, ...usage, ratio };
    }
  }
}

async function load(env: Record<string, string>): Promise<Usage & { bytes: number }> {
  using folder = makeTempFolder();
  const database = join(folder.path, "calls.db");
  const usage = await measureCalltally(["sync", "--full", "--json", "--database", database], env);
  return { ...usage, bytes: statSync(database).size };
}

const toMb = (bytes: number) => (bytes / 1e6).toFixed(1);
