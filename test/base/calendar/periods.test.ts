import fc from "fast-check";
import { expect, test } from "vitest";
import { countDays, toInstants } from "../../../src/base/calendar/dates.ts";
import { GRAINS, type Grain } from "../../../src/base/calendar/grain.ts";
import { localDate } from "../../../src/base/calendar/local-time.ts";
import { areAlike, describeRange, periods } from "../../../src/base/calendar/periods.ts";
import { draws } from "../../support/draws.ts";
import { Cases, shift, zonedRanges } from "./edges.ts";

const grain = fc.constantFrom(...GRAINS);
/** The day that Samoa and Tokelau skipped. */
const isSkipped = (day: string, zone: string) =>
  day === "2011-12-30" && ["Pacific/Apia", "Pacific/Fakaofo"].includes(zone);

/** The name of the period of a date by ISO 8601: a week belongs to the year of its Thursday. */
function nameOf(date: string, grain: Grain): string {
  if (grain === "day") return date;
  if (grain === "month") return date.slice(0, 7);
  if (grain === "quarter") return `${date.slice(0, 4)}-Q${Math.floor((Number(date.slice(5, 7)) + 2) / 3)}`;
  const thursday = shift(date, 3 - ((new Date(date).getUTCDay() + 6) % 7));
  const days = (Date.parse(thursday) - Date.parse(`${thursday.slice(0, 4)}-01-01`)) / 86_400_000;
  return `${thursday.slice(0, 4)}-W${String(Math.floor(days / 7) + 1).padStart(2, "0")}`;
}

test.each<[title: string, Parameters<typeof periods>[0], rows: string[][]]>([
  [
    "are weeks from Monday, cut to the range",
    { from: "2026-10-21", to: "2026-11-02", grain: "week", zone: "America/New_York" },
    [
      // Wednesday is the first day of the range, and Monday that of the week.
      ["2026-W43", "2026-10-19", "2026-10-21T04:00:00.000Z", "2026-10-26T04:00:00.000Z"],
      ["2026-W44", "2026-10-26", "2026-10-26T04:00:00.000Z", "2026-11-02T05:00:00.000Z"],
      ["2026-W45", "2026-11-02", "2026-11-02T05:00:00.000Z", "2026-11-03T05:00:00.000Z"],
    ],
  ],
  [
    "are none of only the day that Samoa skipped",
    { from: "2011-12-30", to: "2011-12-30", grain: "day", zone: "Pacific/Apia" },
    [],
  ],
  [
    "begin with the year 1",
    { from: "0001-01-01", to: "0001-01-14", grain: "week", zone: "UTC" },
    [
      ["0001-W01", "0001-01-01", "0001-01-01T00:00:00.000Z", "0001-01-08T00:00:00.000Z"],
      ["0001-W02", "0001-01-08", "0001-01-08T00:00:00.000Z", "0001-01-15T00:00:00.000Z"],
    ],
  ],
  [
    "end with the year 9999, so that they sort as text",
    { from: "9999-12-20", to: "9999-12-31", grain: "month", zone: "America/New_York" },
    [["9999-12", "9999-12-01", "9999-12-20T05:00:00.000Z", "9999-12-31T23:59:59.999Z"]],
  ],
])("periods %s", (_title, range, rows) => {
  expect(
    periods(range).map(({ period, firstDay, startsAt, endsAt }) => [period, firstDay, startsAt, endsAt]),
  ).toEqual(rows);
});

test("periods cover their range without gap or overlap, each under its own name", () => {
  const cases = new Cases();
  fc.assert(
    fc.property(zonedRanges, grain, ({ from, to, zone }, grain) => {
      const found = periods({ from, to, grain, zone });
      const { startsAt, endsAt } = toInstants({ from, to }, zone);
      fc.pre(startsAt !== endsAt);
      expect([found.at(0)?.startsAt, found.at(-1)?.endsAt]).toEqual([startsAt, endsAt]);
      expect(found.slice(1).map((period) => period.startsAt)).toEqual(
        found.slice(0, -1).map((period) => period.endsAt),
      );
      expect(found.filter((period) => period.startsAt >= period.endsAt)).toEqual([]);
      const days = Array.from({ length: countDays({ from, to }) }, (_, at) => shift(from, at));
      const lived = days.filter((day) => !isSkipped(day, zone));
      expect(found.map(({ period }) => period)).toEqual([...new Set(lived.map((day) => nameOf(day, grain)))]);
      expect(found.map(({ firstDay }) => nameOf(firstDay, grain))).toEqual(found.map(({ period }) => period));
      expect(found.filter(({ period, firstDay }) => nameOf(shift(firstDay, -1), grain) === period)).toEqual(
        [],
      );
      const names = found.map(({ period }) => period);
      cases.note("a day that the zone skipped", lived.length < days.length);
      cases.note(
        "a week 53",
        names.some((name) => name.endsWith("W53")),
      );
      const yearOf = (text = "") => text.slice(0, 4);
      cases.note(
        "a week that ends in the year after",
        grain === "week" && found.some(({ period, firstDay }) => yearOf(period) < yearOf(shift(firstDay, 6))),
      );
      cases.note(
        "a week that begins in the year before",
        found.some(({ period, firstDay }) => yearOf(firstDay) < yearOf(period)),
      );
      cases.note("a first period that is cut", found[0]?.firstDay !== from);
      cases.note(
        "one period, whole",
        found.length === 1 &&
          grain !== "day" &&
          found[0]?.firstDay === from &&
          nameOf(shift(to, 1), grain) !== names[0],
      );
    }),
    { numRuns: draws(500) },
  );
  expect(cases.rarerThan(1)).toEqual([]);
});

// Before 2012 a few zones set their clocks back just after midnight, so that a day came twice.
test("periods begin and end on the local date that names them", () => {
  const cases = new Cases();
  fc.assert(
    fc.property(zonedRanges, ({ from, to, zone }) => {
      for (const { period, startsAt, endsAt } of periods({ from, to, grain: "day", zone })) {
        const lastMoment = new Date(Date.parse(endsAt) - 1).toISOString();
        expect([localDate(startsAt, zone), localDate(lastMoment, zone)]).toEqual([period, period]);
        const hours = (Date.parse(endsAt) - Date.parse(startsAt)) / 3_600_000;
        for (const each of [22, 23, 23.5, 24.5, 25, 26]) cases.note(`a day of ${each} hours`, hours === each);
      }
    }),
    { numRuns: draws(250) },
  );
  expect(cases.rarerThan(1)).toEqual([]);
});

test.each([
  ["2026-11-22", "2026-11-22", "2026-11-22"],
  ["2026-11-16", "2026-11-22", "2026-W47"],
  ["2026-12-28", "2027-01-03", "2026-W53"],
  ["2026-11-17", "2026-11-23", "2026-11-17 to 2026-11-23"],
  ["2026-10-26", "2026-11-22", "2026-10-26 to 2026-11-22"],
  ["2026-10-01", "2026-10-31", "2026-10"],
  ["2026-11-01", "2026-11-22", "2026-11-01 to 2026-11-22"],
  ["2026-07-01", "2026-09-30", "2026-Q3"],
  ["2026-08-01", "2026-10-31", "2026-08-01 to 2026-10-31"],
])("describeRange: %s to %s is %s", (from, to, text) => {
  expect(describeRange({ from, to })).toBe(text);
});

test.each([
  ["as many days", "2026-10-01", "2026-10-04", "2026-09-01", "2026-09-04", true],
  ["fewer days", "2026-10-26", "2026-10-31", "2026-09-26", "2026-09-30", false],
  ["whole months", "2026-03-01", "2026-03-31", "2026-02-01", "2026-02-28", true],
  ["a week and a day", "2026-10-26", "2026-11-01", "2026-09-30", "2026-09-30", false],
])("areAlike: %s", (_, from, to, fromBefore, toBefore, expected) => {
  expect(areAlike({ from, to }, { from: fromBefore, to: toBefore })).toBe(expected);
});
