import fc from "fast-check";
import type { Evidence } from "../../../src/service/paging/evidence.ts";
import type { Sort } from "../../../src/service/paging/order-key.ts";
import type { Slice } from "../../../src/service/paging/slice.ts";
import { Throttle } from "../../../src/service/paging/throttle.ts";
import {
  isSure as isSureVerdict,
  type Judgement,
  judge,
  missingCallThreshold,
} from "../../../src/service/paging/verdict.ts";
import { type Walk, walk } from "../../../src/service/paging/walk.ts";
import { RandomService, type Timeline } from "./random-service.ts";

/** One pass over a service: its events, and how it is read. */
export interface Reading {
  timeline: Timeline;
  overlap: number;
  concurrency: number;
}

export interface Outcome extends Judgement {
  /** Calls that were visible throughout and were not read. */
  missing: number[];
  /** Calls read, each counted once. */
  read: number;
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

export const readings = (timelines: fc.Arbitrary<Timeline>): fc.Arbitrary<Reading> =>
  fc.record({
    timeline: timelines,
    overlap: fc.integer({ min: 2, max: 8 }),
    concurrency: fc.integer({ min: 1, max: 5 }),
  });

export const isSure = ({ verdict }: Outcome): boolean => isSureVerdict(verdict);
export const isFalselySure = (outcome: Outcome): boolean => isSure(outcome) && outcome.missing.length > 0;
/** Whether a pass is vouched for although far more calls were counted in it than were read. */
export function isFalselyVouched({ verdict, evidence: { totals, unplaced }, read }: Outcome): boolean {
  return verdict === "probable" && totals.most - read - unplaced > missingCallThreshold(totals.most);
}

/** Whether nothing changes during the pass. Calls with equal starts are listed in another order each time. */
export const isQuiet = ({ timeline }: Reading): boolean => timeline.busyFor === 0 && timeline.tied === 1;

/** Reads all calls of a service in one pass, killed and resumed according to its timeline. */
export async function lives({ timeline, overlap, concurrency }: Reading): Promise<Outcome> {
  const throttle = new Throttle(concurrency);
  const service = new RandomService(timeline);
  let earlier: Slice[] = [];
  let sort: Sort = "own";
  let isResumed = false;
  for (let attempt = 0; ; attempt++) {
    const reading: Walk<Slice> = walk(
      service,
      { overlap, throttle, limit: service.limit },
      { sort, earlier },
    );
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
      ...judge(reading.evidence, read.size),
      missing,
      read: read.size,
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
