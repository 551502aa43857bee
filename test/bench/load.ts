import { rmSync } from "node:fs";
import { join } from "node:path";
import { namesOf } from "../../src/base/records.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { type Finding, median, ratioOf } from "./finding.ts";
import type { BenchOptions } from "./options.ts";
import { measureCalltally, measureFloor, startPageServer, type Time, type Usage } from "./process.ts";
import { prepareRows } from "./rows.ts";

/** Steps without which no call can be stored; their sum is the least CPU time of a first load. */
const FLOORS = {
  drain: "fetch the pages by undici",
  parse: "JSON.parse the pages",
  hash: "hash the calls",
  insert: "insert what is ready",
} as const;
type Floor = keyof typeof FLOORS;
const FLOOR_NAMES = namesOf(FLOORS);

/** How fast are all calls read into an empty warehouse, and once more when nothing has changed, and in how much memory? */
export async function* load({ calls: sizes, runs }: BenchOptions): AsyncGenerator<Finding> {
  for (const calls of sizes) {
    const { floors, first, again } = await measureRuns(calls, calls > 200_000 ? 1 : runs);
    for (const name of FLOOR_NAMES) {
      const times = floors.map((floor) => floor[name]);
      yield { what: `floor: ${FLOORS[name]}`, calls, ...medianTime(times) };
    }
    const sums = floors.map((floor) => FLOOR_NAMES.reduce((sum, name) => sum + floor[name].cpuSeconds, 0));
    const toFloors = { value: ratioOf(cpuSeconds(first), sums), of: "times the CPU of the floors" };
    const isLarge = calls >= 100_000;
    yield {
      what: "sync, first load",
      calls,
      ...medianUsage(first),
      ratio: { ...toFloors, ...(isLarge && { atMost: 1.5 }) },
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

const cpuSeconds = (times: readonly Time[]) => times.map((time) => time.cpuSeconds);

function medianTime(times: readonly Time[]): Time {
  return { seconds: median(times.map((time) => time.seconds)), cpuSeconds: median(cpuSeconds(times)) };
}

function medianUsage(usages: readonly Usage[]): Usage {
  return { ...medianTime(usages), peakMb: Math.max(...usages.map(({ peakMb }) => peakMb)) };
}

async function measureRuns(calls: number, runs: number) {
  await prepareRows(calls);
  await using server = await startPageServer(calls);
  const floors: Record<Floor, Time>[] = [];
  const first: Usage[] = [];
  const again: Usage[] = [];
  using folder = makeTempFolder();
  const database = join(folder.path, "calls.db");
  const sync = ["sync", "--full", "--json", "--database", database];
  for (let run = 0; run < runs; run++) {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(database + suffix, { force: true });
    floors.push({
      drain: await measureFloor("drain", server.url, calls),
      parse: await measureFloor("parse", calls),
      hash: await measureFloor("hash", calls),
      insert: await measureFloor("insert", calls),
    });
    first.push(await measureCalltally(sync, server.env));
    again.push(await measureCalltally(sync, server.env));
  }
  return { floors, first, again };
}
