import { join } from "node:path";
import { makeTempFolder } from "../support/temp-folder.ts";
import type { Finding } from "./finding.ts";
import type { BenchOptions } from "./options.ts";
import { measureCalltally, startPageServer } from "./process.ts";

const LIMIT = 100;
/** The new calls of a page, in addition to those it shares with the previous one. */
const FRESH = LIMIT - 50;
const MAX_PAGES = 1500;

/** With a slow service, how close does a sync come to keeping its connections busy all the time? */
export async function* latency({ idealSeconds }: BenchOptions): AsyncGenerator<Finding> {
  for (const latencyMs of [50, 300]) {
    for (const concurrency of [1, 4, 8]) {
      const pages = Math.min(MAX_PAGES, Math.round((idealSeconds * 1000 * concurrency) / latencyMs));
      const calls = pages * FRESH;
      await using server = await startPageServer(calls, latencyMs);
      using folder = makeTempFolder();
      const database = join(folder.path, "calls.db");
      const flags = ["--limit", String(LIMIT), "--concurrency", String(concurrency)];
      const sync = ["sync", "--full", "--json", "--database", database, ...flags];
      const { seconds, stdout } = await measureCalltally(sync, server.env);
      const run: { pages: number } = JSON.parse(stdout);
      const ideal = (run.pages * latencyMs) / 1000 / concurrency;
      const isGoal = latencyMs === 300 && concurrency === 8;
      const ratio = { value: ideal / seconds, of: "of the ideal", ...(isGoal && { atLeast: 0.9 }) };
      yield { what: `sync, ${latencyMs} ms a page, concurrency ${concurrency}`, calls, seconds, ratio };
    }
  }
}
