import { describe, expect, it } from "vitest";
import { ServiceClock } from "../../src/sync/service-clock.ts";

const SENT_MS = Date.parse("2026-11-20T15:00:00.000Z");
const MINUTE_MS = 60_000;

/** A response that claims to be made that long after its request, and took that long to arrive. */
const answer = (aheadMs: number, { tookMs = 0, ageSeconds = 0 } = {}) => ({
  timestamp: new Date(SENT_MS + aheadMs).toISOString(),
  exchange: { attempt: 0, nextAttempt: 1, sentMs: SENT_MS, receivedMs: SENT_MS + tookMs, ageSeconds },
});

describe("ServiceClock", () => {
  it.each([
    { title: "as far back as clocks may differ", back: MINUTE_MS, isOld: false },
    { title: "a millisecond further back", back: MINUTE_MS + 1, isOld: true },
    { title: "the present", back: 0, isOld: false },
    { title: "the future", back: -MINUTE_MS * 100, isOld: false },
  ])("treats a response from $title as old: $isOld", ({ back, isOld }) => {
    for (const aheadMs of [0, 7_200_000, -7_200_000]) {
      const within = new ServiceClock(null);
      expect(within.isOld(answer(aheadMs))).toBe(false);
      expect(within.isOld(answer(aheadMs - back))).toBe(isOld);
      // As the previous run saw it, whatever the local clock showed then.
      expect(new ServiceClock(SENT_MS + aheadMs).isOld(answer(aheadMs - back))).toBe(isOld);
    }
  });

  it("estimates how far the service is at least ahead from the quickest response", () => {
    const clock = new ServiceClock(null);
    expect(clock.aheadMs).toBeNull();
    clock.isOld(answer(5000, { tookMs: 3000 }));
    expect(clock.aheadMs).toBe(2000);
    clock.isOld(answer(5000, { tookMs: 1000 }));
    expect(clock.aheadMs).toBe(4000);
    clock.isOld(answer(5000, { tookMs: 2000 }));
    expect(clock.aheadMs).toBe(4000);
    clock.isOld(answer(-50_000));
    expect(clock.aheadMs).toBe(4000);
  });

  it("estimates from this run only, and still compares with the last run", () => {
    const clock = new ServiceClock(SENT_MS + 3_600_000);
    expect(clock.aheadMs).toBeNull();
    expect(clock.isOld(answer(0))).toBe(true);
    expect(clock.isOld(answer(0))).toBe(true);
    expect(clock.aheadMs).toBe(0);
  });

  it("does not count the duration of a response against it, however long", () => {
    const clock = new ServiceClock(null);
    expect(clock.isOld(answer(0))).toBe(false);
    expect(clock.isOld(answer(0, { tookMs: 100 * MINUTE_MS }))).toBe(false);
    expect(clock.aheadMs).toBe(0);
  });

  it("treats cached responses as old, and learns nothing from them", () => {
    const clock = new ServiceClock(null);
    expect(clock.isOld(answer(7_200_000, { ageSeconds: 1 }))).toBe(true);
    expect(clock.aheadMs).toBeNull();
    expect(clock.isOld(answer(0))).toBe(false);
  });

  it.each([{ timestamp: undefined }, { timestamp: "" }, { timestamp: "yesterday" }])(
    "learns nothing from $timestamp",
    ({ timestamp }) => {
      const clock = new ServiceClock(SENT_MS);
      expect(clock.isOld({ ...answer(0), timestamp })).toBe(false);
      expect(clock.aheadMs).toBeNull();
      // Nor does it affect what the next one shows.
      expect(clock.isOld(answer(-100 * MINUTE_MS))).toBe(true);
      expect(clock.aheadMs).toBe(-100 * MINUTE_MS);
    },
  );

  it("learns nothing from a page whose exchange is unknown", () => {
    const clock = new ServiceClock(SENT_MS);
    expect(clock.isOld({ timestamp: answer(-100 * MINUTE_MS).timestamp })).toBe(false);
    expect(clock.aheadMs).toBeNull();
  });
});
