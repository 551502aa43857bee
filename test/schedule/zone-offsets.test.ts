import { describe, expect, it } from "vitest";
import { findChange, offsetsOf } from "../../src/schedule/zone-offsets.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

describe("offsetsOf", () => {
  it.each([
    ["UTC", "2026-07-01T00:00:00Z", 0],
    ["Europe/London", "2026-01-01T00:00:00Z", 0],
    ["Europe/Berlin", "2026-01-01T00:00:00Z", 60],
    ["Europe/Berlin", "2026-07-01T00:00:00Z", 120],
    ["America/New_York", "2026-01-01T00:00:00Z", -300],
    ["America/St_Johns", "2026-07-01T00:00:00Z", -150],
    ["Asia/Kathmandu", "2026-01-01T00:00:00Z", 345],
    ["Pacific/Apia", "2011-12-30T09:59:59.999Z", -600],
    ["Pacific/Apia", "2011-12-30T10:00:00Z", 840],
    // By the sun, to the second.
    ["Europe/Amsterdam", "1920-01-01T00:00:00Z", 19 + 32 / 60],
    ["America/New_York", "1850-01-01T00:00:00Z", -(4 * 60 + 56 + 2 / 60)],
  ])("of %s at %s is %d minutes", (timezone, at, minutes) => {
    const offsetMs = offsetsOf(timezone)(Date.parse(at));
    const others = timezone === "Europe/Amsterdam" ? [0] : []; // where the zone is a link to Brussels
    expect([minutes * MINUTE_MS, ...others]).toContain(offsetMs);
  });
});

describe("findChange", () => {
  const AT = Date.parse("2026-03-29T01:00:00Z");

  it.each([
    ["Europe/Berlin", "2026-03-29T01:00:00.000Z"],
    ["Europe/Berlin", "2026-10-25T01:00:00.000Z"],
    ["Australia/Lord_Howe", "2026-04-04T15:00:00.000Z"], // by half an hour
    ["Antarctica/Troll", "2026-03-29T01:00:00.000Z"], // by two hours
    ["Pacific/Apia", "2011-12-30T10:00:00.000Z"], // by a day
  ])("finds when the clocks of %s are changed, to the millisecond: %s", (timezone, at) => {
    const atMs = Date.parse(at);
    const offsetAt = offsetsOf(timezone);
    for (const beforeMs of [1, 2, 1000, DAY_MS - 1, DAY_MS, DAY_MS + 1, 5 * DAY_MS + 12_345])
      expect(findChange(offsetAt, atMs - beforeMs, atMs + 3 * DAY_MS)).toBe(atMs);
    expect(findChange(offsetAt, atMs - DAY_MS, atMs)).toBe(atMs);
    expect(findChange(offsetAt, atMs - DAY_MS, atMs - 1)).toBeUndefined();
    expect(findChange(offsetAt, atMs, atMs + 20 * DAY_MS)).toBeUndefined();
  });

  it("finds the first of several, and looks once a day", () => {
    const changes = [AT, AT + 3 * DAY_MS];
    let looks = 0;
    const offsetAt = (ms: number) => {
      looks++;
      return changes.filter((change) => ms >= change).length * HOUR_MS;
    };
    expect(findChange(offsetAt, AT - DAY_MS / 2, AT + 9 * DAY_MS)).toBe(AT);
    expect(looks).toBeLessThan(32);
    looks = 0;
    expect(findChange(offsetAt, AT + 4 * DAY_MS, AT + 100 * DAY_MS)).toBeUndefined();
    expect(looks).toBe(97);
    expect(findChange(offsetAt, AT, AT)).toBeUndefined();
    expect(findChange(offsetAt, AT, AT - DAY_MS)).toBeUndefined();
  });
});
