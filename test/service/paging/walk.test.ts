import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { draws } from "../../support/draws.ts";
import { busyTimelines, droppedTimelines, fallingTimelines, oversizedTimelines } from "./lossy-timelines.ts";
import {
  endTimelines,
  honestTimelines,
  sizedTimelines,
  type Timeline,
  wideTimelines,
  wildTimelines,
} from "./random-service.ts";
import {
  isFalselySure,
  isFalselyVouched,
  isQuiet,
  isSure,
  lives,
  type Outcome,
  type Reading,
  readings,
} from "./walks.ts";

const RUNS = draws(1000);
const BUSY_RUNS = draws(200);

/** Runs drawn timelines; throws at the first pass wrongly verified or vouched for, with its seed and path. */
async function liveAll(timelines: fc.Arbitrary<Timeline>, numRuns = RUNS) {
  const lived: (Reading & { outcome: Outcome })[] = [];
  await fc.assert(
    fc.asyncProperty(readings(timelines), async (reading) => {
      const outcome = await lives(reading);
      lived.push({ ...reading, outcome });
      expect(outcome.atOnce).toBeLessThanOrEqual(reading.concurrency);
      if (isSure(outcome)) expect(outcome.missing).toEqual([]);
      expect(isFalselyVouched(outcome)).toBe(false);
    }),
    { numRuns },
  );
  const share = (test: (each: (typeof lived)[number]) => boolean) => lived.filter(test).length / lived.length;
  return { lived, share };
}

const rowsOf = ({ limit, pageCap }: Timeline) => Math.min(limit, pageCap);
/** Passes printed by `npm run test:walk`, some with the rule of the walk without which they were falsely sure. */
const COUNTEREXAMPLES = readFileSync(new URL("counterexamples.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line): Reading & { without: string } => ({ without: "any of its rules", ...JSON.parse(line) }));

describe("walk", () => {
  it(`never verifies a pass that misses a call, whatever the service does: ${RUNS} timelines`, async () => {
    const { lived, share } = await liveAll(wildTimelines);
    // A property over events that never happen proves nothing.
    expect(share(({ outcome }) => isSure(outcome))).toBeGreaterThan(0.08);
    expect(share(({ outcome }) => outcome.missing.length > 0)).toBeGreaterThan(0.05);
    expect(share(({ concurrency, outcome }) => outcome.atOnce === concurrency)).toBeGreaterThan(0.4);
    expect(share(({ outcome }) => outcome.isResumed)).toBeGreaterThan(0.03);
    expect(Math.max(...lived.map(({ outcome }) => outcome.requests))).toBeLessThan(3000);
  });

  it.each([
    { title: "when pages are cut by size and the count is stale or invented", timelines: sizedTimelines },
    {
      title: "when calls return beyond the end, or offsets before it are empty",
      timelines: endTimelines,
    },
    { title: "when the list becomes much shorter meanwhile", timelines: fallingTimelines },
    { title: "when calls are dropped after LIMIT and the count is cached", timelines: droppedTimelines },
    { title: "when a call is too large to send and the count is cached", timelines: oversizedTimelines },
  ])("never verifies a pass that misses a call, $title", async ({ timelines }) => {
    const { share } = await liveAll(timelines);
    expect(share(({ outcome }) => isSure(outcome))).toBeGreaterThan(0.01);
  });

  it(`verifies most passes over honest services: ${RUNS} timelines`, async () => {
    const { lived } = await liveAll(honestTimelines);
    // Of services with two pages in an order by id or start, 85 % in the long run: a count that falls and rises is doubtful.
    const provable = lived.filter(
      ({ timeline }) => !timeline.order.startsWith("source") && timeline.initial >= 2 * rowsOf(timeline),
    );
    expect(provable.length).toBeGreaterThan(RUNS / 4);
    expect(provable.filter(({ outcome }) => isSure(outcome)).length / provable.length).toBeGreaterThan(0.7);
    // Of quiet services, of all.
    const inexact = lived.filter((each) => isQuiet(each) && each.outcome.verdict !== "exact");
    expect(inexact.map(({ outcome, ...reading }) => ({ ...reading, found: outcome.verdict_reason }))).toEqual(
      [],
    );
  });

  it(`vouches for three of four passes over services with one to three changes at each request: ${BUSY_RUNS} timelines`, async () => {
    const { share } = await liveAll(busyTimelines, BUSY_RUNS);
    expect(share(({ outcome }) => outcome.verdict !== "unverified")).toBeGreaterThan(0.75);
    expect(share(({ outcome }) => isSure(outcome))).toBeGreaterThan(0.1);
  });

  it(`never verifies a pass that misses a call, for pages of 2 to 1,000 rows: ${RUNS} timelines`, async () => {
    const { share } = await liveAll(wideTimelines);
    for (const [least, most] of [
      [2, 2],
      [3, 7],
      [50, 100],
      [101, 1000],
    ] as const) {
      const isSo = (timeline: Timeline) => rowsOf(timeline) >= least && rowsOf(timeline) <= most;
      const name = `${least} to ${most} rows`;
      expect([name, share(({ timeline, outcome }) => isSo(timeline) && isSure(outcome)) > 0]).toEqual([
        name,
        true,
      ]);
    }
    expect(share(({ timeline }) => (timeline.growth ?? 0) > 0)).toBeGreaterThan(0.05);
    expect(share(({ timeline }) => timeline.heavy !== undefined)).toBeGreaterThan(0.05);
    expect(share(({ timeline }) => timeline.total.kind === "more")).toBeGreaterThan(0.05);
    expect(share(({ timeline }) => timeline.offsets === "ignored")).toBeGreaterThan(0.05);
    expect(share(({ outcome }) => outcome.isResumed)).toBeGreaterThan(0.03);
  });

  it.each(COUNTEREXAMPLES)(
    "does not verify a pass that was falsely sure without $without",
    async (reading) => {
      expect(isFalselySure(await lives(reading))).toBe(false);
    },
  );
});
