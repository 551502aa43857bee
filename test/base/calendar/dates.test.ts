import fc from "fast-check";
import { expect, test } from "vitest";
import {
  comparisonRange,
  countDays,
  type DateRange,
  parseDate,
  toInstants,
} from "../../../src/base/calendar/dates.ts";
import { comparisonOfLast, parseLast } from "../../../src/base/calendar/last.ts";
import { localDate, localTime } from "../../../src/base/calendar/local-time.ts";
import { draws } from "../../support/draws.ts";
import { Cases, dateOf, dates, isLastOfMonth, rangesFrom, shift, zonedRanges } from "./edges.ts";

const dayBefore = (date: string) => shift(date, -1);
const date = dates(1950, 2100);

const hours = ({ startsAt, endsAt }: { startsAt?: string; endsAt?: string }) =>
  (Date.parse(endsAt ?? "") - Date.parse(startsAt ?? "")) / 3_600_000;
const day = (text: string) => ({ from: text, to: text });

test("parseDate returns a date from 1900 to 2999", () => {
  const dates = ["2026-11-20", "2024-02-29", "1900-01-01", "2999-12-31"];
  expect(dates.map(parseDate)).toEqual(dates);
  fc.assert(fc.property(date, (text) => parseDate(text) === text));
});

test.each([
  ["2026-02-30", "2026-02-28"],
  ["2024-02-30", "2024-02-29"],
  ["2026-04-00", "2026-04-01"],
  ["2026-04-99", "2026-04-30"],
  ["2026-1-5", "2026-01-05"],
  ["2026/11/20", "2026-11-20"],
  [" 2026-11-20", "2026-11-20"],
  ["2026-11-20T10:00:00Z", "2026-11-20"],
  ["20.11.2026", "2026-11-20"],
  ["11/20/2026", "2026-11-20"],
  ["20.11.2026 10:00", "2026-11-20"],
  ["31-2-2026", "2026-02-28"],
  ["12/13/2026", "2026-12-13"],
  ["13/12/2026", "2026-12-13"],
  ["9999-12-31", "2999-12-31"],
  ["0000-01-01", "1900-01-01"],
])("parseDate refuses %s and suggests %s", (text, meant) => {
  const message = `"${text}" is not a date from 1900 to 2999 as YYYY-MM-DD; did you mean ${meant}?`;
  expect(() => parseDate(text)).toThrow(new Error(message));
  expect(parseDate(meant)).toBe(meant);
});

test.each([
  "5/6/2026",
  "5/12/2026",
  "12/5/2026",
  "20/20/2026",
  "on 11/20/2026",
  "2026-13-05",
  "2026-00-05",
  "2026-11/20",
  "20261120",
  "12026-01-01",
  "26-11-20",
  "today",
  "",
])("parseDate refuses %j without a guess", (text) => {
  const message = `"${text}" is not a date from 1900 to 2999 as YYYY-MM-DD, such as 2026-11-20`;
  expect(() => parseDate(text)).toThrow(new Error(message));
});

test.each([
  ["7d", "2026-11-20", "2026-11-13", "2026-11-19"],
  ["3660d", "2026-11-20", "2016-11-12", "2026-11-19"],
  // 2026-11-20 is a Friday, the 22nd a Sunday and the 23rd a Monday.
  ["1w", "2026-11-20", "2026-11-09", "2026-11-15"],
  ["1w", "2026-11-23", "2026-11-16", "2026-11-22"],
  ["1m", "2026-11-20", "2026-10-01", "2026-10-31"],
  ["1m", "2024-03-31", "2024-02-01", "2024-02-29"],
  ["last-month", "2026-01-31", "2025-12-01", "2025-12-31"],
  ["mtd", "2026-11-20", "2026-11-01", "2026-11-20"],
  ["ytd", "2026-11-20", "2026-01-01", "2026-11-20"],
  ["today", "2026-11-20", "2026-11-20", "2026-11-20"],
  ["yesterday", "2027-01-01", "2026-12-31", "2026-12-31"],
])("parseLast of %s on %s is from %s to %s", (text, today, from, to) => {
  expect(parseLast(text, today)).toEqual({ from, to });
});

test.each([
  ["7 days", "7d"],
  ["0d", "1d"],
  ["99999d", "3660d"],
  ["121m", "120m"],
  ["1y", "12m"],
  ["last_week", "1w"],
  ["last month", "last-month"],
  ["month", "last-month"],
  ["month to date", "mtd"],
  ["tody", "today"],
  ["yytd", "ytd"],
])("parseLast refuses %s and suggests %s", (text, meant) => {
  const message = `must be one of 7d, 4w, 3m (up to ten years), today, yesterday, mtd, ytd, last-month; did you mean ${meant}?`;
  expect(() => parseLast(text, "2026-11-20")).toThrow(new Error(message));
  expect(() => parseLast(meant, "2026-11-20")).not.toThrow();
});

test.each(["4", "last 4"])("parseLast refuses %j and asks for its unit", (text) => {
  expect(() => parseLast(text, "2026-11-20")).toThrow(/; did you mean 4d, 4w or 4m\?$/);
});

test.each(["", "last", "tomorrow", "7h", "1.5d", "d7", "7d7d"])(
  "parseLast refuses %j without a guess",
  (text) => {
    const message = `must be one of 7d, 4w, 3m (up to ten years), today, yesterday, mtd, ytd, last-month`;
    expect(() => parseLast(text, "2026-11-20")).toThrow(new Error(message));
  },
);

test("comparisonRange compares days with the days just before, and the year to date with the year before", () => {
  const compared = (last: string, today: string) => {
    const range = comparisonRange(parseLast(last, today), comparisonOfLast(last, "previous"));
    return `${range.from} ${range.to}`;
  };
  // The 1st to the 7th; four weeks from Monday the 1st; January to March: each begins and ends with a month, or in it.
  expect(compared("7d", "2026-12-08")).toBe("2026-11-24 2026-11-30");
  expect(compared("4w", "2027-03-01")).toBe("2027-01-04 2027-01-31");
  expect(compared("today", "2026-12-01")).toBe("2026-11-30 2026-11-30");
  expect(compared("yesterday", "2026-12-02")).toBe("2026-11-30 2026-11-30");
  expect(compared("ytd", "2026-03-31")).toBe("2025-01-01 2025-03-31");
  expect(compared("ytd", "2026-11-20")).toBe("2025-01-01 2025-11-20");
  expect(compared("mtd", "2026-11-20")).toBe("2026-10-01 2026-10-20");
  expect(compared("3m", "2026-04-20")).toBe("2025-10-01 2025-12-31");
  expect(compared("10d", "2026-12-11")).toBe("2026-11-21 2026-11-30");
  expect(comparisonOfLast("7d", "year")).toBe("year");
});

/** The same day of an earlier month, or its last. */
function monthsBefore(date: string, months: number): string {
  const [year = 0, month = 0, day = 0] = date.split("-").map(Number);
  const last = new Date(Date.UTC(year, month - months, 0)).getUTCDate();
  return dateOf(Date.UTC(year, month - 1 - months, Math.min(day, last)));
}

/** What `comparisonRange` must return, by the days of the calendar only. */
function comparedWith({ from, to }: Required<DateRange>, kind: "previous" | "year" | "days"): DateRange {
  if (kind === "year") return { from: monthsBefore(from, 12), to: monthsBefore(to, 12) };
  const isFromFirst = kind === "previous" && from.endsWith("-01");
  const months =
    12 * (Number(to.slice(0, 4)) - Number(from.slice(0, 4))) +
    Number(to.slice(5, 7)) -
    Number(from.slice(5, 7));
  if (isFromFirst && isLastOfMonth(to)) return { from: monthsBefore(from, months + 1), to: dayBefore(from) };
  if (isFromFirst && months === 0) return { from: monthsBefore(from, 1), to: monthsBefore(to, 1) };
  return { from: shift(from, -countDays({ from, to })), to: dayBefore(from) };
}

test("comparisonRange is the period just before, or a year before, at every edge of months and years", () => {
  const cases = new Cases();
  fc.assert(
    fc.property(rangesFrom(date), (range) => {
      for (const kind of ["previous", "year", "days"] as const)
        expect([kind, comparisonRange(range, kind)]).toEqual([kind, comparedWith(range, kind)]);
      const { from, to } = range;
      const isWhole = from.endsWith("-01") && isLastOfMonth(to);
      cases.note("one day", from === to);
      cases.note("one whole month", isWhole && from.slice(0, 7) === to.slice(0, 7));
      cases.note("whole months over a new year", isWhole && from.slice(0, 4) < to.slice(0, 4));
      cases.note("from 29 February", from.endsWith("-02-29"));
      cases.note("to 29 February", to.endsWith("-02-29"));
      cases.note("to 28 February of a leap year", to.endsWith("-02-28") && !isLastOfMonth(to));
      cases.note(
        "cut at the end of the month before",
        from.endsWith("-01") && to.endsWith("-30") && !isLastOfMonth(to),
      );
      cases.note(
        "from the first of one month into another",
        from.endsWith("-01") && from.slice(0, 7) !== to.slice(0, 7) && !isLastOfMonth(to),
      );
      cases.note("to the last of a month, from its second", from.endsWith("-02") && isLastOfMonth(to));
      cases.note("a year and a day", to === shift(from, 365));
    }),
    { numRuns: draws(640) },
  );
  expect(cases.rarerThan(3)).toEqual([]);
});

test("countDays counts both ends, across a leap day and a year", () => {
  expect(countDays({ from: "2026-11-20", to: "2026-11-20" })).toBe(1);
  expect(countDays({ from: "2024-02-28", to: "2024-03-01" })).toBe(3);
  expect(countDays({ from: "2025-12-31", to: "2026-12-31" })).toBe(366);
});

test("comparisonRange of an open range exists for the year before, not for the previous period", () => {
  expect(comparisonRange({ from: "2026-11-20" }, "year")).toEqual({ from: "2025-11-20" });
  expect(comparisonRange({ to: "2026-11-20" }, "year")).toEqual({ to: "2025-11-20" });
  expect(comparisonRange({}, "year")).toEqual({});
  for (const open of [{ from: "2026-11-20" }, { to: "2026-11-20" }, {}]) {
    expect(() => comparisonRange(open, "previous")).toThrow(
      "Cannot compare an open range with the previous one",
    );
  }
});

test("comparisonRange and toInstants refuse a range whose last date comes first", () => {
  const upsideDown = { from: "2026-11-20", to: "2026-11-19" };
  expect(() => comparisonRange(upsideDown, "year")).toThrow(new Error("2026-11-20 is after 2026-11-19"));
  expect(() => toInstants(upsideDown, "UTC")).toThrow(new Error("2026-11-20 is after 2026-11-19"));
});

test.each<[string, string, string, number]>([
  ["2026-11-20", "UTC", "2026-11-20T00:00:00.000Z", 24],
  ["2026-03-29", "Europe/Berlin", "2026-03-28T23:00:00.000Z", 23],
  ["2026-10-25", "Europe/Berlin", "2026-10-24T22:00:00.000Z", 25],
  ["2026-04-05", "Australia/Lord_Howe", "2026-04-04T13:00:00.000Z", 24.5],
  // Midnight itself is skipped.
  ["2018-11-04", "America/Sao_Paulo", "2018-11-04T03:00:00.000Z", 23],
  // Samoa crossed the date line and had no 30 December.
  ["2011-12-30", "Pacific/Apia", "2011-12-30T10:00:00.000Z", 0],
])("toInstants of %s in %s starts at %s and takes %s h", (text, zone, startsAt, length) => {
  const instants = toInstants(day(text), zone);
  expect(instants.startsAt).toBe(startsAt);
  expect(hours(instants)).toBe(length);
});

test("toInstants of an open range is open", () => {
  const zone = "Europe/Berlin";
  expect(toInstants({}, zone)).toEqual({});
  expect(toInstants({ from: "2026-11-20" }, zone)).toEqual({ startsAt: "2026-11-19T23:00:00.000Z" });
  expect(toInstants({ to: "2026-11-20" }, zone)).toEqual({ endsAt: "2026-11-20T23:00:00.000Z" });
});

test("toInstants begins at the first moment of the first day and ends where the next range begins, in every zone", () => {
  const cases = new Cases();
  fc.assert(
    fc.property(zonedRanges, ({ from, to, zone }) => {
      const { startsAt = "", endsAt } = toInstants({ from, to }, zone);
      expect(toInstants({ to: dayBefore(from) }, zone)).toEqual({ endsAt: startsAt });
      expect(toInstants({ from: shift(to, 1) }, zone)).toEqual({ startsAt: endsAt });
      const justBefore = new Date(Date.parse(startsAt) - 1).toISOString();
      expect(localDate(justBefore, zone) < from).toBe(true);
      expect(localDate(startsAt, zone) >= from).toBe(true);
      for (const date of [from, to]) {
        const { startsAt = "", endsAt = "" } = toInstants(day(date), zone);
        const length = hours({ startsAt, endsAt });
        for (const each of [22, 23, 23.5, 24.5, 25, 26])
          cases.note(`a day of ${each} hours`, length === each);
        const isLate = !localTime(zone)(startsAt).local.endsWith(" 00:00:00");
        cases.note("a day that begins after midnight", length !== 0 && isLate);
      }
    }),
    { numRuns: draws(400) },
  );
  expect(cases.rarerThan(1)).toEqual([]);
});
