import { describe, expect, it } from "vitest";
import { CallHours, type CallKeys, HourCounts, keyOf } from "../../../src/features/notices/call-hours.ts";

/** Hours 100 to 109: two calls in hour 102, three in 105. */
function counts(): HourCounts {
  const made = new HourCounts(100, 10);
  made.add(105, 3);
  made.add(102, 1);
  made.add(102, 1);
  return made.sum();
}

describe("HourCounts", () => {
  it.each([
    [100, 110, 5],
    [0, 1000, 5],
    [102, 103, 2],
    [103, 105, 0],
    [105, 106, 3],
    [103, 106, 3],
    [106, 103, 0],
    [102, 102, 0],
    [0, 100, 0],
    [110, 120, 0],
  ])("countIn: from %i up to %i there are %i calls", (from, until, calls) => {
    expect(counts().countIn(from, until)).toBe(calls);
  });

  it.each([
    [0, 102],
    [102, 102],
    [103, 105],
    [105, 105],
    [106, undefined],
    [999, undefined],
  ])("firstFrom %i is %s", (from, hour) => {
    expect(counts().firstFrom(from)).toBe(hour);
  });

  it.each([
    [999, 105],
    [106, 105],
    [105, 102],
    [103, 102],
    [102, undefined],
    [0, undefined],
  ])("lastBefore %i is %s", (until, hour) => {
    expect(counts().lastBefore(until)).toBe(hour);
  });

  it("returns neither a first nor a last call without calls", () => {
    const none = new HourCounts(0, 0);
    expect([none.firstFrom(0), none.lastBefore(9), none.countIn(0, 9)]).toEqual([undefined, undefined, 0]);
  });
});

describe("CallHours", () => {
  const keys = (tracking_number: string | null, source: string | null, campaign: string | null = null) => ({
    tracking_number,
    source,
    campaign,
  });
  const [a, b] = [keys("+1", null), keys("+2", null)];
  const [google, bing] = [keys(null, "google", "Brand"), keys(null, "bing")];
  const both = [keys("+1", "google", "Brand"), keys("+2", "bing")];
  const day = (at: number, ofDay: readonly CallKeys[], cells: number[]) => ({
    day: at,
    keys: ofDay,
    cells: Uint32Array.from(cells),
  });
  /** Days 10 and 11: two calls to +1 at 23 h of the first, one to +2 at 0 h and one to +1 at 5 h of the second. */
  const calls = () =>
    new CallHours({
      numbers: [day(10, [a], [23, 2]), day(11, [b, a], [0, 1, 29, 1])],
      visits: [day(10, [google], [23, 2]), day(11, [bing, google], [0, 1, 29, 1])],
      readCalls: () => [day(10, both.slice(0, 1), [23, 2]), day(11, both, [5, 1, 24, 1])],
    });
  /** The number of calls in each hour that has some. */
  const hoursOf = (counted: HourCounts) => {
    const hours = Array.from({ length: 48 }, (_, hour) => [hour, counted.countIn(240 + hour, 241 + hour)]);
    return Object.fromEntries(hours.filter(([, calls]) => calls !== 0));
  };

  it.each([
    ["tracking_number", "+1", { 23: 2, 29: 1 }],
    ["tracking_number", "+3", {}],
    ["source", "bing", { 24: 1 }],
    ["campaign", "Brand", { 23: 2, 29: 1 }],
    ["all", "", { 23: 2, 24: 1, 29: 1 }],
  ] as const)("countKey: %s %s", (dimension, key, hours) => {
    expect(hoursOf(calls().countKey({ dimension, key }))).toEqual(hours);
  });

  it("count: sums calls with several keys", () => {
    const counted = calls().count(
      (each) => keyOf(each, "tracking_number") === "+1" && keyOf(each, "source") === "google",
    );
    expect(hoursOf(counted)).toEqual({ 23: 2, 29: 1 });
  });

  it("group: returns each key with enough calls, in the order of their first call", () => {
    const grouped = (atLeast: number) => [...calls().group("tracking_number", atLeast).keys()];
    expect([1, 2, 3, 4].map(grouped)).toEqual([["+1", "+2"], ["+1"], ["+1"], []]);
    const twice = calls();
    expect(twice.group("source", 1)).toBe(twice.group("source", 1));
    const ofBrand = { 23: 2, 29: 1 };
    for (const [dimension, expected] of [
      ["campaign", { Brand: ofBrand }],
      ["source", { google: ofBrand, bing: { 24: 1 } }],
    ] as const) {
      const counted = [...twice.group(dimension, 1)].map(([key, counts]) => [key, hoursOf(counts)]);
      expect(Object.fromEntries(counted)).toEqual(expected);
    }
  });

  it("firstDays: returns the day of each key's first call", () => {
    const daysOf = (dimension: "source" | "campaign" | "tracking_number") =>
      Object.fromEntries(calls().firstDays(dimension));
    expect(daysOf("source")).toEqual({ google: 10, bing: 11 });
    expect(daysOf("campaign")).toEqual({ Brand: 10 });
    expect(daysOf("tracking_number")).toEqual({ "+1": 10, "+2": 11 });
  });

  it("counts up to the last of many days", () => {
    const numbers = [10, 11, 12].map((at) => day(at, [a], [23, at]));
    const counted = new CallHours({ numbers, visits: [], readCalls: () => [] });
    const calls = counted.countKey({ dimension: "all", key: "" });
    expect([calls.countIn(240, 312), calls.lastBefore(999)]).toEqual([33, 311]);
  });

  it("returns no calls without days", () => {
    const none = new CallHours({ numbers: [], visits: [], readCalls: () => [] });
    expect(none.countKey({ dimension: "all", key: "" }).firstFrom(0)).toBeUndefined();
  });
});
