import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { comparePeriods, counterpartOf, distanceOf } from "../../../src/base/calendar/comparison.ts";
import { countDays, type DateRange, toInstants } from "../../../src/base/calendar/dates.ts";
import { COMPARISONS, type Comparison, GRAINS, type Grain } from "../../../src/base/calendar/grain.ts";
import { periods } from "../../../src/base/calendar/periods.ts";
import { draws } from "../../support/draws.ts";
import { zonedRanges } from "./edges.ts";

/** The comparison of the periods of a range, in UTC: the first day of each part, and the compared days. */
function compare(from: string, to: string, grain: Grain, kind: Comparison, zone = "UTC") {
  const range = { from, to };
  const current = periods({ ...range, grain, zone });
  const compared = comparePeriods(range, current, { kind, grain, zone });
  const days = compared.periods.map(({ period, startsAt }) => `${period} ${startsAt.slice(0, 10)}`);
  return { range: `${compared.range.from} ${compared.range.to}`, days };
}

const skipsDay = (range: Required<DateRange>, zone: string) =>
  periods({ ...range, grain: "day", zone }).length < countDays(range);

describe("comparePeriods", () => {
  it("compares whole weeks with whole weeks, a year before", () => {
    expect(compare("2026-10-05", "2026-10-18", "week", "year")).toEqual({
      range: "2025-10-06 2025-10-19",
      days: ["2026-W41 2025-10-06", "2026-W42 2025-10-13"],
    });
  });

  it("compares parts of months with the same number of days", () => {
    expect(compare("2026-09-10", "2026-10-20", "month", "previous")).toEqual({
      range: "2026-07-31 2026-09-09",
      days: ["2026-09 2026-07-31", "2026-10 2026-08-21"],
    });
  });

  it("compares weeks and days with the same number of days, even in a range of whole months", () => {
    // Two months of 59 days are compared with two of 62.
    const weeks = compare("2026-02-01", "2026-03-31", "week", "previous");
    expect(weeks.range).toBe("2025-12-01 2026-01-28");
    expect(weeks.days.slice(0, 2)).toEqual(["2026-W05 2025-12-01", "2026-W06 2025-12-02"]);
    expect(weeks.days[5]).toBe("2026-W10 2025-12-30");
    const days = compare("2026-02-01", "2026-03-31", "day", "previous");
    expect(days.days[28]).toBe("2026-03-01 2025-12-29");
  });

  it("compares months with months, whatever their length", () => {
    expect(compare("2026-01-01", "2026-03-31", "month", "previous")).toEqual({
      range: "2025-10-01 2025-12-31",
      days: ["2026-01 2025-10-01", "2026-02 2025-11-01", "2026-03 2025-12-01"],
    });
    expect(compare("2024-02-01", "2024-03-31", "month", "year").days).toEqual([
      "2024-02 2023-02-01",
      "2024-03 2023-03-01",
    ]);
  });

  it("compares quarters with quarters, by months", () => {
    expect(compare("2026-07-01", "2026-12-31", "quarter", "previous")).toEqual({
      range: "2026-01-01 2026-06-30",
      days: ["2026-Q3 2026-01-01", "2026-Q4 2026-04-01"],
    });
    expect(compare("2026-11-01", "2027-01-31", "quarter", "previous")).toEqual({
      range: "2026-08-01 2026-10-31",
      days: ["2026-Q4 2026-08-01", "2027-Q1 2026-10-01"],
    });
  });

  it("compares the same dates across a leap day", () => {
    expect(compare("2024-02-28", "2024-03-01", "day", "year")).toEqual({
      range: "2023-02-28 2023-03-01",
      days: ["2024-02-28 2023-02-28", "2024-03-01 2023-03-01"],
    });
  });

  it("leaves out days without a counterpart", () => {
    expect(compare("2026-02-01", "2026-02-28", "day", "previous").range).toBe("2026-01-01 2026-01-28");
    expect(compare("2026-03-01", "2026-03-31", "day", "previous").days.at(-1)).toBe("2026-03-28 2026-02-28");
  });

  it("compares the day after a skipped one with the counterparts of both", () => {
    // Samoa had no 30 December 2011.
    const [range, zone] = [{ from: "2011-12-30", to: "2011-12-31" }, "Pacific/Apia"];
    const current = periods({ ...range, grain: "day", zone });
    const compared = comparePeriods(range, current, { kind: "previous", grain: "day", zone });
    expect(compared.periods).toEqual([
      {
        period: "2011-12-31",
        startsAt: "2011-12-28T10:00:00.000Z",
        days: { from: "2011-12-28", to: "2011-12-29" },
        previous: "2011-12-28 to 2011-12-29",
      },
    ]);
  });

  it("begins each compared part in its own period and within the range, whatever the range", () => {
    fc.assert(
      fc.property(
        zonedRanges,
        fc.constantFrom(...GRAINS),
        fc.constantFrom(...COMPARISONS, "days" as const),
        ({ zone, ...range }, grain, kind) => {
          const current = periods({ ...range, grain, zone });
          const compared = comparePeriods(range, current, { kind, grain, zone });
          const { startsAt = "", endsAt = "" } = toInstants(compared.range, zone);
          const starts = compared.periods.map((part) => part.startsAt);
          // The zone skipped the only day.
          if (current.length === 0) {
            expect(starts).toEqual([]);
            return;
          }
          expect(starts[0]).toBe(startsAt);
          // A day that the zone skipped begins when it ends.
          const hasSkipped = skipsDay(compared.range, zone);
          expect(starts).toEqual((hasSkipped ? starts : [...new Set(starts)]).toSorted());
          const last = starts.at(-1) ?? "";
          expect(hasSkipped ? last <= endsAt : last < endsAt).toBe(true);
          if (kind === "previous" || kind === "days") expect(compared.range.to < range.from).toBe(true);
          const labels = current.map(({ period }) => period);
          const places = compared.periods.map(({ period }) => labels.indexOf(period));
          expect(places).toEqual(places.toSorted((a, b) => a - b));
        },
      ),
      { numRuns: draws(250) },
    );
  });
});

describe("distanceOf", () => {
  it.each([
    ["2026-02-01", "2026-03-01", { months: 1 }],
    ["2025-03-15", "2026-03-15", { months: 12 }],
    ["2026-02-02", "2026-03-01", { days: 27 }],
    ["2026-03-24", "2026-03-31", { days: 7 }],
  ])("from %s to %s is %j", (before, from, distance) => {
    const days = (first: string) => ({ from: first, to: "2026-12-31" });
    expect(distanceOf(days(before), days(from))).toEqual(distance);
  });
});

describe("counterpartOf", () => {
  it.each([
    // The 28th there, though not in UTC; and the clocks of Chicago changed between both moments.
    [
      "Pacific/Honolulu",
      { days: 7 },
      "2026-03-29T05:30:45.000Z",
      "2026-03-21",
      "19:30",
      "2026-03-22T05:30:45.000Z",
    ],
    [
      "Australia/Lord_Howe",
      { days: 7 },
      "2026-03-27T20:30:45.000Z",
      "2026-03-21",
      "07:30",
      "2026-03-20T20:30:45.000Z",
    ],
    [
      "America/Chicago",
      { months: 1 },
      "2026-03-31T13:30:45.000Z",
      "2026-02-28",
      "08:30",
      "2026-02-28T14:30:45.000Z",
    ],
  ])(
    "the counterpart is at the same time of day in %s, %j before %s",
    (zone, distance, asOf, day, time, at) => {
      expect(counterpartOf(asOf, distance, zone)).toEqual({ day, time, at });
    },
  );
});
