import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HORIZON_MS, judgeCalls } from "../../../src/features/notices/judge-calls.ts";
import { type DrawnYear, drawCalls, drawnNumbers, startOfYear, toHours, watchYear } from "./drawn-years.ts";

const HOUR_MS = 3_600_000;
const numbers = (daily: number, count = 3) =>
  Array.from({ length: count }, (_, index) => ({ daily, source: `source ${index}`, campaign: "Brand" }));
const hourOf = (ms: number) => Math.round((ms - startOfYear()) / HOUR_MS);
/** The third Monday, 9 o'clock. */
const MONDAY_9 = 14 * 24 + 9;
const seed = () => fc.sample(fc.integer(), { numRuns: 1 })[0] ?? 0;

function weeks(changes: Partial<DrawnYear>): DrawnYear {
  return { numbers: numbers(20), zone: "UTC", days: 28, outages: [], seed: seed(), ...changes };
}

describe("judgeCalls", () => {
  it.each([1, 2, 5, 12])(
    "notices on the same day that one of %i numbers is cut off on a Monday at 9",
    (count) => {
      const outage = { number: 0, fromHour: MONDAY_9, hours: 72, share: 0 };
      const year = weeks({ numbers: numbers(24, count), outages: [outage] });
      const [notice, ...others] = watchYear(year);
      expect(others).toEqual([]);
      expect(notice).toMatchObject({ dimension: "tracking_number", key: "+15125551000", kind: "silent" });
      expect(hourOf(notice?.noticedMs ?? 0)).toBeLessThanOrEqual(15 * 24);
      expect(hourOf(notice?.endedMs ?? 0)).toBeGreaterThanOrEqual(MONDAY_9 + 72);
      expect(hourOf(notice?.endedMs ?? 0)).toBeLessThan(MONDAY_9 + 72 + 48);
    },
  );

  it("notices once that all calls are off, instead of each number, as on a holiday", () => {
    const outages = [0, 1, 2, 3].map((number) => ({ number, fromHour: 14 * 24, hours: 24, share: 0.05 }));
    const found = watchYear(weeks({ numbers: numbers(30, 4), outages }));
    expect(found).toMatchObject([{ dimension: "all", key: "", endedMs: expect.any(Number) }]);
  });

  it("notices a second number that is cut off while the first is", () => {
    const outages = [0, 1].map((number) => ({
      number,
      fromHour: MONDAY_9 + number * 48,
      hours: 144,
      share: 0,
    }));
    const found = watchYear(weeks({ numbers: numbers(30, 2), outages }));
    expect(found.map(({ key, kind }) => [key, kind])).toEqual([
      ["+15125551000", "silent"],
      ["+15125551001", "silent"],
    ]);
  });

  it.each([
    [200, 0.02],
    [60, 0.05],
    [200, 0.45],
  ])("notices once that a number of %i calls a day has %f of them for a week", (daily, share) => {
    const outages = [{ number: 0, fromHour: MONDAY_9, hours: 168, share }];
    const found = watchYear(weeks({ numbers: numbers(daily), outages }));
    expect(found).toMatchObject([{ key: "+15125551000", endedMs: expect.any(Number) }]);
  });

  it("notices a source once, not each of its numbers, whichever is noticed first", () => {
    const pool = [0, 1, 2].map(() => ({ daily: 10, source: "google", campaign: "Brand" }));
    const outages = [0, 1, 2].map((number) => ({ number, fromHour: MONDAY_9, hours: 96, share: 0 }));
    const found = watchYear(weeks({ numbers: [...pool, ...numbers(40)], outages }));
    expect(found).toHaveLength(1);
  });

  it("notices a source even if its number had a notice weeks before", () => {
    const year = weeks({
      numbers: [
        { daily: 30, source: "google", campaign: "Brand" },
        { daily: 30, source: "bing", campaign: "Brand" },
      ],
      outages: [
        ...[0, 1].map((number) => ({ number, fromHour: MONDAY_9 - 168, hours: 12, share: 0 })),
        { number: 0, fromHour: MONDAY_9 + 168, hours: 120, share: 0 },
      ],
      days: 42,
    });
    const calls = drawCalls(year).map((call) => ({ ...call, tracking_number: "+15125551000" }));
    const found = watchYear(year, { calls });
    expect(found.map(({ key, endedMs }) => [key, endedMs === undefined])).toEqual([
      ["+15125551000", false],
      [expect.stringMatching(/google|\+1512/), false],
    ]);
  });

  it("does not mistake a clock change for silence, nor a repeated hour for many calls", () => {
    // On 30 March 2025 clocks in Berlin change; calls come around the clock.
    const year = { numbers: numbers(1000), zone: "Europe/Berlin", days: 21, isFlat: true };
    expect(watchYear(weeks(year))).toEqual([]);
  });

  it("ends a notice without a comparison, and then treats the new level as usual", () => {
    const outages = [{ number: 0, fromHour: MONDAY_9, hours: 10_000, share: 0 }];
    const found = watchYear(weeks({ outages, days: 120 }));
    expect(found).toMatchObject([{ kind: "silent", endedMs: expect.any(Number) }]);
    expect(hourOf(found[0]?.endedMs ?? 0)).toBeGreaterThan(MONDAY_9 + 28 * 24);
  });

  it("compares the same local hours across clock changes", () => {
    // On 30 March 2025 clocks in Berlin change.
    const year = weeks({ numbers: numbers(60), zone: "Europe/Berlin", days: 60 });
    expect(watchYear(year).length).toBeLessThanOrEqual(1);
  });

  it("starts the day at local midnight, even when clocks change", () => {
    const midnightMs = Date.parse("2026-11-01T05:00:00Z"); // clocks are put back two hours later
    const untilMs = midnightMs + 13 * HOUR_MS;
    const calls = [];
    for (let startedMs = untilMs - HORIZON_MS; startedMs < untilMs; ) {
      calls.push({ startedMs, tracking_number: "+15125551000", source: null, campaign: null });
      startedMs += startedMs < midnightMs ? HOUR_MS / 6 : HOUR_MS;
    }
    const untilHour = untilMs / HOUR_MS;
    const { started } = judgeCalls(toHours(calls), { untilHour, zone: "America/Chicago", past: [] });
    expect(started).toMatchObject([{ kind: "few", sinceHour: midnightMs / HOUR_MS, calls: 13 }]);
  });

  it.each([0.5, 0.55, 2])("notices once that a number has %f of its calls for weeks", (share) => {
    const outages = [{ number: 0, fromHour: MONDAY_9, hours: 10_000, share }];
    const found = watchYear(weeks({ numbers: numbers(40), outages, days: 60 }));
    expect(found.filter(({ key }) => key === "+15125551000").length).toBeLessThanOrEqual(1);
    expect(found.filter(({ key }) => key !== "+15125551000")).toEqual([]);
  });

  it("does not mistake the calls of a new number for an increase of its source or in total", () => {
    const busy = { daily: 90, source: "source 0", campaign: "Brand" };
    const outages = [{ number: 3, fromHour: -1680, hours: 1680 + MONDAY_9, share: 0 }];
    expect(watchYear(weeks({ numbers: [...numbers(20), busy], outages, days: 42 }))).toEqual([]);
  });

  it.each([
    { what: "a source with most calls, and its number", daily: [80, 6, 4], share: 0 },
    { what: "a number with nearly all", daily: [60, 1, 1], share: 0.05 },
    { what: "three similar numbers", daily: [30, 30, 30], share: 0.2 },
  ])("notices a holiday once for all calls, with $what", ({ daily, share }) => {
    const own = daily.map((each, index) => ({ daily: each, source: `source ${index}`, campaign: "Brand" }));
    const outages = own.map((_, number) => ({ number, fromHour: 14 * 24, hours: 24, share }));
    const year = weeks({ numbers: [...own, { daily: 5, source: "source 0", campaign: "Winter" }] });
    const found = watchYear({
      ...year,
      outages: [...outages, { number: 3, fromHour: 14 * 24, hours: 24, share }],
    });
    expect(found.map(({ dimension }) => dimension)).toEqual(["all"]);
  });

  it("does not treat variations of 30 percent as a change", () => {
    const found = [1, 2].flatMap((seed) =>
      watchYear(weeks({ numbers: numbers(40), noise: 0.3, days: 70, seed })),
    );
    expect(found.length).toBeLessThanOrEqual(1);
  });

  it("has few false notices, and misses no long silence of a busy number", { timeout: 0 }, () => {
    let [falseNotices, outagesSeen] = [0, 0];
    const drawn = fc.record({
      numbers: drawnNumbers,
      seed: fc.integer(),
      at: fc.integer({ min: 0, max: 70 * 24 }),
    });
    fc.assert(
      fc.property(drawn, ({ numbers, seed, at }) => {
        const outage = { number: 0, fromHour: at, hours: 96, share: 0 };
        const year = weeks({ numbers, seed, zone: "America/New_York", days: 90, outages: [outage] });
        const found = watchYear(year);
        const untilMs = startOfYear() + (at + 96) * HOUR_MS;
        const isOfOutage = ({ noticedMs }: (typeof found)[number]) =>
          hourOf(noticedMs) >= at && noticedMs <= untilMs + 8 * 24 * HOUR_MS;
        falseNotices += found.filter((notice) => !isOfOutage(notice)).length;
        if ((numbers[0]?.daily ?? 0) < 30) return;
        outagesSeen += 1;
        expect(found.filter(isOfOutage)).not.toEqual([]);
      }),
      { numRuns: 3 },
    );
    expect(outagesSeen).toBeGreaterThan(0);
    expect(falseNotices).toBeLessThanOrEqual(2);
  });
});
