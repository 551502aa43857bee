import type { Evidence } from "../../src/paging/evidence.ts";
import type { Sort } from "../../src/paging/order-key.ts";
import type { WalkOptions } from "../../src/paging/pass.ts";
import type { Slice } from "../../src/paging/slice.ts";
import { type Judgement, judge } from "../../src/paging/verdict.ts";
import { type Walk, walk as walkHere } from "../../src/paging/walk.ts";
import { RandomService, type Timeline } from "./random-service.ts";

export interface Outcome extends Judgement {
  /** Calls that were visible throughout and were not read. */
  missing: number[];
  requests: number;
  /** The maximum number of concurrent requests. */
  atOnce: number;
  sort: Sort;
  isResumed: boolean;
  /** What the ledger stores of the pass. */
  slices: Slice[];
  evidence: Evidence;
  limit: number;
}

/** The modules that a timeline runs through; changed ones in tests of the tests. */
export interface Walker {
  walk: typeof walkHere;
  judge: typeof judge;
}

/** Reads all calls of a service in one pass, killed and resumed according to its timeline. */
export async function live(
  timeline: Timeline,
  options: Omit<WalkOptions, "limit">,
  { walk, judge: judgePass }: Walker = { walk: walkHere, judge },
): Promise<Outcome> {
  const service = new RandomService(timeline);
  let earlier: Slice[] = [];
  let sort: Sort = "own";
  let isResumed = false;
  for (let attempt = 0; ; attempt++) {
    const reading: Walk<Slice> = walk(service, { ...options, limit: service.limit }, { sort, earlier });
    // What the ledger stores of a pass.
    const chain = { slices: earlier };
    let isKilled = false;
    for await (const slice of reading) {
      if (reading.evidence.slices === 1) chain.slices = [];
      chain.slices = [...chain.slices, structuredClone(slice)];
      if (reading.evidence.slices - reading.evidence.resumed === timeline.kills[attempt]) {
        isKilled = true;
        break;
      }
    }
    isResumed ||= reading.evidence.resumed > 0;
    if (isKilled) {
      [earlier, sort] = [chain.slices, reading.sort];
      service.limit = timeline.limits?.[attempt] ?? service.limit;
      continue;
    }
    const read = new Set(chain.slices.flatMap(({ rows }) => rows.map(({ id }) => id)));
    const missing = service.visibleThroughout.filter((id) => !read.has(id));
    return {
      ...judgePass(reading.evidence, read.size),
      missing,
      requests: service.requests,
      atOnce: service.atOnce,
      sort: reading.sort,
      isResumed,
      slices: chain.slices,
      evidence: reading.evidence,
      limit: service.limit,
    };
  }
}
