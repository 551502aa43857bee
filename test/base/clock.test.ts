import { expect, it } from "vitest";
import { ageOf, isFuture, systemClock } from "../../src/base/clock.ts";

const NOW_MS = Date.parse("2026-11-20T15:00:00.000Z");
const NEVER = Number.POSITIVE_INFINITY;

it.each([
  { time: "2026-11-20T14:59:59.000Z", age: 1000, future: false },
  { time: "2026-11-20T15:00:00.000Z", age: 0, future: false },
  { time: "2026-11-20T15:01:00.000Z", age: 0, future: false }, // the maximum by which a clock may be set back
  { time: "2026-11-20T15:01:00.001Z", age: NEVER, future: true },
  { time: "2031-01-01T00:00:00.000Z", age: NEVER, future: true },
  { time: null, age: NEVER, future: false },
  { time: undefined, age: NEVER, future: false },
])("ageOf of $time is $age, isFuture is $future", ({ time, age, future }) => {
  expect([ageOf(time, NOW_MS), isFuture(time, NOW_MS)]).toEqual([age, future]);
});

it("systemClock.sleep lasts until its signal is aborted, and rejects with the reason", async () => {
  const [stop, reason] = [new AbortController(), new Error("enough")];
  const slept = systemClock.sleep(3_600_000, stop.signal);
  await Promise.resolve();
  stop.abort(reason);
  await expect(slept).rejects.toBe(reason);
  await expect(systemClock.sleep(3_600_000, stop.signal)).rejects.toBe(reason);
});
