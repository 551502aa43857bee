import fc from "fast-check";
import { Throttle } from "../../src/paging/throttle.ts";
import { live, type Outcome, type Walker } from "./live.ts";
import type { Timeline } from "./random-service.ts";

/** One pass over a service: its events, and how it is read. */
export interface Reading {
  timeline: Timeline;
  overlap: number;
  concurrency: number;
}

export const readings = (timelines: fc.Arbitrary<Timeline>): fc.Arbitrary<Reading> =>
  fc.record({
    timeline: timelines,
    overlap: fc.integer({ min: 2, max: 8 }),
    concurrency: fc.integer({ min: 1, max: 5 }),
  });

export const isSure = ({ verdict }: Outcome): boolean => verdict === "exact" || verdict === "verified";
export const isFalselySure = (outcome: Outcome): boolean => isSure(outcome) && outcome.missing.length > 0;

/** Whether nothing changes during the pass. Calls with equal starts are listed in another order each time. */
export const isQuiet = ({ timeline }: Reading): boolean => timeline.busyFor === 0 && timeline.tied === 1;

export const lives = ({ timeline, overlap, concurrency }: Reading, walker?: Walker): Promise<Outcome> =>
  live(timeline, { overlap, throttle: new Throttle(concurrency) }, walker);
