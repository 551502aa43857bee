import fc from "fast-check";
import { expect, test } from "vitest";
import { localDate, localTime, offsetSpanAt } from "../../../src/base/calendar/local-time.ts";
import { draws } from "../../support/draws.ts";
import { Cases, minutesChanged, moments } from "./edges.ts";

const formats = new Map<string, Intl.DateTimeFormat>();

/** What Intl shows, in the form of localTime. */
function shownByIntl(utc: string, timeZone: string): { local: string; offset: string } {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      timeZoneName: "longOffset",
    });
  formats.set(timeZone, format);
  const parts = new Map(format.formatToParts(new Date(utc)).map(({ type, value }) => [type, value]));
  const [year, month, day] = [parts.get("year"), parts.get("month"), parts.get("day")];
  const time = [parts.get("hour"), parts.get("minute"), parts.get("second")].join(":");
  const offset = parts.get("timeZoneName")?.replace("GMT", "") || "+00:00";
  return { local: `${year}-${month}-${day} ${time}`, offset };
}

test.each([
  ["2026-03-29T00:59:59.999Z", "Europe/Berlin", "2026-03-29 01:59:59", "+01:00"],
  ["2026-03-29T01:00:00.000Z", "Europe/Berlin", "2026-03-29 03:00:00", "+02:00"],
  ["2026-04-04T14:59:59.000Z", "Australia/Lord_Howe", "2026-04-05 01:59:59", "+11:00"],
  ["2026-04-04T15:00:00.000Z", "Australia/Lord_Howe", "2026-04-05 01:30:00", "+10:30"],
  ["2011-12-30T09:59:59.000Z", "Pacific/Apia", "2011-12-29 23:59:59", "-10:00"],
  ["2011-12-30T10:00:00.000Z", "Pacific/Apia", "2011-12-31 00:00:00", "+14:00"],
  ["2026-11-20T12:00:00Z", "Africa/Casablanca", "2026-11-20 12:00:00", "+00:00"],
])("localTime of %s in %s is %s %s", (utc, zone, local, offset) => {
  expect(localTime(zone)(utc)).toEqual({ local, offset });
  expect(localDate(utc, zone)).toBe(local.slice(0, 10));
});

test.each([
  ["9999-12-31T23:59:59.999Z", "Asia/Tokyo", "+010000-01-01 08:59:59"],
  ["0000-01-01T00:00:00.000Z", "America/Bogota", "-000001-12-31 19:03:44"],
])("localTime of %s in %s is %s, in a year of more than four digits", (utc, zone, local) => {
  expect(localTime(zone)(utc).local).toBe(local);
});

test("localTime agrees with Intl.DateTimeFormat at any time in any zone, in any order of calls", () => {
  const cases = new Cases();
  fc.assert(
    fc.property(moments, ({ zone, instants }) => {
      const toLocal = localTime(zone);
      expect(instants.map(toLocal)).toEqual(instants.map((utc) => shownByIntl(utc, zone)));
      expect(instants.map((utc) => localDate(utc, zone))).toEqual(
        instants.map((utc) => shownByIntl(utc, zone).local.slice(0, 10)),
      );
      for (const [index, utc] of instants.entries()) {
        const minutes = minutesChanged(utc, zone);
        for (const each of [-120, -60, -30, 30, 60, 120])
          cases.note(`clocks are put by ${each} minutes at this moment`, minutes === each);
        cases.note("clocks skip a day", minutes === 1440);
        const justBefore = new Date(Date.parse(utc) - 1).toISOString();
        cases.note(
          "the millisecond before was asked just before",
          minutes !== 0 && instants[index - 1] === justBefore,
        );
      }
    }),
    { numRuns: draws(750) },
  );
  expect(cases.rarerThan(3)).toEqual([]);
});

test("localTime throws for an invalid time and for an unknown zone", () => {
  expect(() => localTime("UTC")("yesterday")).toThrow(new RangeError('"yesterday" is not a time'));
  expect(() => localTime("Europe/Atlantis")).toThrow(RangeError);
});

test("offsetSpanAt spans the time between two changes of the clock, up to the year 9999", () => {
  const of = (utc: string, zone: string) => {
    const { offsetSeconds, endsAt } = offsetSpanAt(utc, zone);
    return [offsetSeconds, endsAt];
  };
  expect(of("2026-03-29T00:59:59.999Z", "Europe/Berlin")).toEqual([3600, "2026-03-29T01:00:00.000Z"]);
  expect(of("2026-03-29T01:00:00.000Z", "Europe/Berlin")).toEqual([7200, "2026-10-25T01:00:00.000Z"]);
  expect(of("2026-04-04T15:00:00.000Z", "Australia/Lord_Howe")).toEqual([37_800, "2026-10-03T15:30:00.000Z"]);
  expect(of("0000-01-01T00:00:00.000Z", "Europe/Berlin")).toEqual([3208, "1893-03-31T23:06:32.000Z"]);
  expect(of("9999-12-31T23:59:59.999Z", "Europe/Berlin")).toEqual([3600, undefined]);
  expect(of("2026-01-01T00:00:00.000Z", "UTC")).toEqual([0, undefined]);
});
