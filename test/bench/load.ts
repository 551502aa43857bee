import { rmSync } from "node:fs";
import { join } from "node:path";
import { makeTempFolder } from "../support/temp-folder.ts";
import { type Finding, median, ratioOf } from "./finding.ts";
import type { BenchOptions } from "./options.ts";
import { measureCalltally, measureFloor, startPageServer, type Time, type Usage } from "./process.ts";
import { prepareRows } from "./rows.ts";

/**
 * How fast are all calls read into an empty warehouse, and how fast once more when nothing has changed? Neither time nor
 * memory should grow faster than the number of calls.
 */
export async function* load({ calls: sizes, runs }: BenchOptions): AsyncGenerator<Finding> {
  const firsts = new Map<number, Usage>();
  for (const calls of sizes) {
    const times = await measureRuns(calls, calls > 200_000 ? 1 : runs);
    const { drain, parse, insert, insertByKey, first, again } = times;
    yield { what: "floor: drain the pages by undici", calls, ...medianTime(drain) };
    yield { what: "floor: JSON.parse the pages", calls, ...medianTime(parse) };
    yield { what: "floor: insert ready rows as served", calls, ...medianTime(insert) };
    yield { what: "floor: insert them in the order of the key", calls, ...medianTime(insertByKey) };
    const goals = calls === 100_000;
    const usage = { ...medianTime(first), peakMb: Math.max(...first.map(({ peakMb }) => peakMb)) };
    firsts.set(calls, usage);
    const toInsert = {
      value: ratioOf(seconds(insert), seconds(first)),
      of: "of the rate of inserting as served",
    };
    yield {
      what: "sync, first load",
      calls,
      ...usage,
      ratio: { ...toInsert, ...(goals && { atLeast: 0.6 }) },
    };
    const toKey = {
      value: ratioOf(seconds(insertByKey), seconds(first)),
      of: "of that in the order of the key",
    };
    yield { what: "sync, first load, by the key", calls, ...medianTime(first), ratio: toKey };
    const toFirst = { value: ratioOf(seconds(first), seconds(again)), of: "times as fast as the first load" };
    yield {
      what: "sync --full again, nothing changed",
      calls,
      ...medianTime(again),
      peakMb: Math.max(...again.map(({ peakMb }) => peakMb)),
      ratio: { ...toFirst, ...(goals && { atLeast: 1.6 }) },
    };
  }
  yield* flatness(firsts);
}

const seconds = (times: readonly Time[]) => times.map((time) => time.seconds);

function medianTime(times: readonly Time[]): Time {
  return { seconds: median(seconds(times)), cpuSeconds: median(times.map((time) => time.cpuSeconds)) };
}

async function measureRuns(calls: number, runs: number) {
  await prepareRows(calls);
  await using server = await startPageServer(calls);
  const drain: Time[] = [];
  const parse: Time[] = [];
  const insert: Time[] = [];
  const insertByKey: Time[] = [];
  const first: Usage[] = [];
  const again: Usage[] = [];
  using folder = makeTempFolder();
  const database = join(folder.path, "calls.db");
  const sync = ["sync", "--full", "--json", "--database", database];
  for (let run = 0; run < runs; run++) {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(database + suffix, { force: true });
    drain.push(await measureFloor("drain", server.url, calls));
    parse.push(await measureFloor("parse", calls));
    insert.push(await measureFloor("insert", calls, "served"));
    insertByKey.push(await measureFloor("insert", calls, "key"));
    first.push(await measureCalltally(sync, server.env));
    again.push(await measureCalltally(sync, server.env));
  }
  return { drain, parse, insert, insertByKey, first, again };
}

function* flatness(firsts: ReadonlyMap<number, Usage>): Generator<Finding> {
  const calls = 1_000_000;
  const [small, large] = [firsts.get(100_000), firsts.get(calls)];
  if (!small || !large) return;
  const time = { value: large.seconds / small.seconds, of: "times the time of 100,000", atMost: 11 };
  yield { what: "sync of 1,000,000 calls: time", calls, seconds: large.seconds, ratio: time };
  const memory = { value: large.peakMb / small.peakMb, of: "times the memory of 100,000", atMost: 1.2 };
  yield { what: "sync of 1,000,000 calls: memory", calls, ...large, ratio: memory };
}
