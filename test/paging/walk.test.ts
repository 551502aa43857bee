import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Throttle } from "../../src/paging/throttle.ts";
import { draws } from "../draws.ts";
import { live, type Outcome, type Walker } from "./live.ts";
import { honestTimelines, type Timeline, wideTimelines, wildTimelines } from "./random-service.ts";
import { changedWalker, RULES } from "./rules.ts";

const IS_SOAK = process.env.CALLTALLY_TIMELINES !== undefined;
const RUNS = Number(process.env.CALLTALLY_TIMELINES ?? draws(1000));

const HONEST_RUNS = IS_SOAK ? RUNS : draws(500);
const WIDE_RUNS = IS_SOAK ? RUNS : draws(300);

const isSure = ({ verdict }: Outcome) => verdict === "exact" || verdict === "verified";
const isFalselySure = (outcome: Outcome) => isSure(outcome) && outcome.missing.length > 0;

const walks = (timelines: fc.Arbitrary<Timeline>) =>
  fc.tuple(timelines, fc.integer({ min: 2, max: 8 }), fc.integer({ min: 1, max: 5 }));

/** Lives through timelines, and returns what became of them; throws at the first that is falsely sure. */
async function liveAll(timelines: fc.Arbitrary<Timeline>, runs: number, walker?: Walker) {
  const outcomes: { timeline: Timeline; concurrency: number; outcome: Outcome }[] = [];
  await fc.assert(
    fc.asyncProperty(walks(timelines), async ([timeline, overlap, concurrency]) => {
      const outcome = await live(timeline, { overlap, throttle: new Throttle(concurrency) }, walker);
      outcomes.push({ timeline, concurrency, outcome });
      expect(outcome.atOnce).toBeLessThanOrEqual(concurrency);
      if (isSure(outcome)) expect(outcome.missing).toEqual([]);
    }),
    { numRuns: runs },
  );
  return outcomes;
}

describe("walk", () => {
  it(`is never sure of a pass that misses a call, whatever the service does: ${RUNS} timelines`, async () => {
    const outcomes = await liveAll(wildTimelines, RUNS);
    const count = (test: (lived: (typeof outcomes)[number]) => boolean) =>
      outcomes.filter(test).length / RUNS;
    // The property says nothing of what never happens.
    expect(count(({ outcome }) => isSure(outcome))).toBeGreaterThan(0.2);
    expect(count(({ outcome }) => outcome.missing.length > 0)).toBeGreaterThan(0.05);
    expect(count(({ concurrency, outcome }) => outcome.atOnce === concurrency)).toBeGreaterThan(0.5);
    expect(count(({ outcome }) => outcome.isResumed)).toBeGreaterThan(0.05);
    expect(count(({ outcome }) => outcome.isResumed && isSure(outcome))).toBeGreaterThan(0.01);
    expect(count(({ outcome }) => outcome.sort !== "own" && isSure(outcome))).toBeGreaterThan(0.01);
    expect(
      count(({ timeline, outcome }) => timeline.total.kind !== "honest" && isSure(outcome)),
    ).toBeGreaterThan(0);
    for (const order of ["updated desc", "busiest source"] as const) {
      expect(count(({ timeline, outcome }) => timeline.order === order && isSure(outcome))).toBeGreaterThan(
        0.005,
      );
    }
    expect(Math.max(...outcomes.map(({ outcome }) => outcome.requests))).toBeLessThan(3000);
  });

  it(`is sure of at least 95 % of passes over honest services in an order by key: ${HONEST_RUNS} timelines`, async () => {
    const outcomes = await liveAll(honestTimelines, HONEST_RUNS);
    expect(outcomes.filter(({ outcome }) => isSure(outcome)).length / HONEST_RUNS).toBeGreaterThan(0.95);
    // Of quiet services, of all.
    const quiet = outcomes.filter(({ timeline }) => timeline.busyFor === 0 && timeline.tied === 1);
    expect(quiet.length).toBeGreaterThan(HONEST_RUNS / 200);
    expect(quiet.filter(({ outcome }) => outcome.verdict !== "exact")).toEqual([]);
  });

  it(`is never sure of a pass that misses a call, of pages of 2 to 1,000 rows: ${WIDE_RUNS} timelines`, async () => {
    const lived = await liveAll(wideTimelines, WIDE_RUNS);
    const count = (test: (each: (typeof lived)[number]) => boolean) => lived.filter(test).length / WIDE_RUNS;
    const rowsOf = ({ limit, pageCap }: Timeline) => Math.min(limit, pageCap);
    for (const [least, most] of [
      [2, 2],
      [3, 7],
      [50, 100],
      [101, 101],
      [1000, 1000],
    ] as const) {
      const isSo = ({ timeline }: (typeof lived)[number]) =>
        rowsOf(timeline) >= least && rowsOf(timeline) <= most;
      const name = `${least} to ${most} rows`;
      expect([name, count((each) => isSo(each) && each.timeline.initial > most / 8) > 0.02]).toEqual([
        name,
        true,
      ]);
      expect([name, count((each) => isSo(each) && isSure(each.outcome)) > 0.01]).toEqual([name, true]);
    }
    const isAtEdge = ({ timeline }: (typeof lived)[number]) =>
      timeline.initial > 0 && timeline.initial % rowsOf(timeline) === 0;
    expect(count(isAtEdge)).toBeGreaterThan(0.05);
    expect(count(({ timeline }) => (timeline.growth ?? 0) > 0)).toBeGreaterThan(0.08);
    expect(count(({ timeline, outcome }) => (timeline.growth ?? 0) > 0 && isSure(outcome))).toBeGreaterThan(
      0.01,
    );
    expect(count(({ timeline }) => timeline.total.kind === "more")).toBeGreaterThan(0.08);
    // One that says of each page that it begins where it was asked to, and has the first calls in it again.
    const ignoring = lived.filter(
      ({ timeline }) => timeline.offsets === "ignored" && timeline.initial > rowsOf(timeline) + 3,
    );
    expect(ignoring.length / WIDE_RUNS).toBeGreaterThan(0.05);
    expect(ignoring.filter(({ outcome }) => isSure(outcome) && outcome.missing.length > 0)).toEqual([]);
    expect(count(({ outcome }) => outcome.isResumed)).toBeGreaterThan(0.05);
  });

  it.each(RULES.filter(({ seed }) => IS_SOAK || seed !== undefined))(
    "would be falsely sure without $without",
    async (rule) => {
      using walker = await changedWalker(rule);
      let lived = 0;
      const found = await fc.check(
        fc.asyncProperty(walks(wildTimelines), async ([timeline, overlap, concurrency]) => {
          lived++;
          // A walk without its rules may also fail to end.
          const options = { overlap, throttle: new Throttle(concurrency) };
          const outcome = await live(timeline, options, walker).catch(() => undefined);
          return outcome === undefined || !isFalselySure(outcome);
        }),
        { numRuns: 40_000, endOnFailure: true, ...(!IS_SOAK && { seed: rule.seed ?? 1 }) },
      );
      expect({ failed: found.failed, lived }).toMatchObject({ failed: true });
    },
  );
});
