import { rmSync } from "node:fs";
import { join } from "node:path";
import { makeTempFolder } from "../support/temp-folder.ts";
import { cpuSeconds, type Finding, medianTime, medianUsage, ratioOf } from "./finding.ts";
import type { BenchOptions } from "./options.ts";
import { measureCalltally, measureFloor, startPageServer, type Time, type Usage } from "./process.ts";
import { prepareRows } from "./rows.ts";

/** How fast are all calls read into an empty warehouse, and again without changes, and with how much memory? */
export async function* load({ calls: sizes, runs }: BenchOptions): AsyncGenerator<Finding> {
  for (const calls of sizes) {
    const { floors, first, again } = await measureRuns(calls, calls > 200_000 ? 1 : runs);
    yield { what: "floor: a plain program of the same work", calls, ...medianTime(floors) };
    const toFloor = {
      value: ratioOf(cpuSeconds(first), cpuSeconds(floors)),
      of: "times the CPU of the floor",
    };
    const isLarge = calls >= 100_000;
    yield {
      what: "sync, first load",
      calls,
      ...medianUsage(first),
      ratio: { ...toFloor, ...(isLarge && { atMost: 1.5 }) },
    };
    const toFirst = {
      value: ratioOf(cpuSeconds(again), cpuSeconds(first)),
      of: "times the CPU of the first load",
    };
    yield { what: "sync --full again, nothing changed", calls, ...medianUsage(again), ratio: toFirst };
    const { peakMb, ...usage } = medianUsage([...first, ...again]);
    const toBound = { value: peakMb / 400, of: "of 400 MB", atMost: 1 };
    if (calls <= 1_000_000) yield { what: "memory of both", calls, ...usage, peakMb, ratio: toBound };
  }
}

async function measureRuns(calls: number, runs: number) {
  await prepareRows(calls);
  await using server = await startPageServer(calls);
  const floors: Time[] = [];
  const first: Usage[] = [];
  const again: Usage[] = [];
  using folder = makeTempFolder();
  const database = join(folder.path, "calls.db");
  const sync = ["sync", "--full", "--json", "--database", database];
  for (let run = 0; run < runs; run++) {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(database + suffix, { force: true });
    floors.push(await measureFloor("load", server.url, calls));
    first.push(await measureCalltally(sync, server.env));
    again.push(await measureCalltally(sync, server.env));
  }
  return { floors, first, again };
}
