import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DrawnYear, drawnNumbers, startOfYear, watchYear } from "./drawn-years.ts";

const HOUR_MS = 3_600_000;
const numbers = (daily: number, count = 3) =>
  Array.from({ length: count }, (_, index) => ({ daily, source: `source ${index}`, campaign: "Brand" }));
const hourOf = (ms: number) => Math.round((ms - startOfYear()) / HOUR_MS);
/** The third Monday, 9 o'clock. */
const MONDAY_9 = 14 * 24 + 9;
/** Chance has its part in what is noticed, so these years are always the same; `npm run test:notices` draws others. */
const ALWAYS = { seed: 1 };
const seed = () => fc.sample(fc.integer(), { numRuns: 1, ...ALWAYS })[0] ?? 0;

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

  it("does not mistake a clock change for silence, nor a repeated hour for many calls", () => {
    // On 30 March 2025 clocks in Berlin change; calls come around the clock.
    const year = { numbers: numbers(1000), zone: "Europe/Berlin", days: 21, isFlat: true };
    expect(watchYear(weeks(year))).toEqual([]);
  });

  it.each([0.5, 0.55, 2])("notices once that a number has %f of its calls for weeks", (share) => {
    const outages = [{ number: 0, fromHour: MONDAY_9, hours: 10_000, share }];
    const found = watchYear(weeks({ numbers: numbers(40), outages, days: 60 }));
    expect(found.filter(({ key }) => key === "+15125551000").length).toBeLessThanOrEqual(1);
    expect(found.filter(({ key }) => key !== "+15125551000")).toEqual([]);
  });

  it("does not treat variations of 30 percent as a change", () => {
    const found = [1, 2].flatMap((seed) =>
      watchYear(weeks({ numbers: numbers(40), noise: 0.3, days: 70, seed })),
    );
    expect(found.length).toBeLessThanOrEqual(1);
  });

  it("finds few false notices, and misses no long silence of a busy number", { timeout: 0 }, () => {
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
      { numRuns: 3, ...ALWAYS },
    );
    expect(outagesSeen).toBeGreaterThan(0);
    expect(falseNotices).toBeLessThanOrEqual(2);
  });
});
