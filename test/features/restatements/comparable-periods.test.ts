import { describe, expect, it } from "vitest";
import {
  comparableStretches,
  completeStretches,
  type ExportedScope,
  scopeOf,
} from "../../../src/features/restatements/comparable-periods.ts";

const scope = (from: string, to: string): ExportedScope => ({
  range_from: from,
  range_to: to,
  first_day: from,
  last_day: to,
  settled_until: "2026-12-01T00:00:00.000Z",
});

describe.each([
  { timezone: "Pacific/Honolulu", june: "2026-06-01T10:00:00.000Z", july: "2026-07-01T10:00:00.000Z" },
  { timezone: "America/Chicago", june: "2026-06-01T05:00:00.000Z", july: "2026-07-01T05:00:00.000Z" },
  { timezone: "Australia/Lord_Howe", june: "2026-05-31T13:30:00.000Z", july: "2026-06-30T13:30:00.000Z" },
])("the days of exports in $timezone", ({ timezone, june, july }) => {
  it("bound a range and its periods", () => {
    const month = scope("2026-06-01", "2026-06-30");
    const stretch = { startsAt: june, endsAt: july };
    expect(completeStretches(month, { timezone })).toEqual([{ period: "", ...stretch }]);
    expect(completeStretches(month, { grain: "month", timezone })).toEqual([
      { period: "2026-06", ...stretch },
    ]);
    const open = { ...month, range_from: null, range_to: null };
    expect(completeStretches(open, { grain: "month", timezone })[0]).toEqual({
      period: "2026-06",
      ...stretch,
    });
    const early = { ...month, settled_until: new Date(Date.parse(july) - 1).toISOString() };
    expect(completeStretches(early, { timezone })).toEqual([]);
    expect(completeStretches({ ...month, settled_until: july }, { timezone })).toHaveLength(1);
  });

  it("end with the day of the last period if the range is open", () => {
    const period = { period: "2026-06", firstDay: "2026-06-01", startsAt: june, endsAt: july };
    const timeframe = {
      range: {},
      span: {},
      filter: {},
      grain: "month",
      periods: [period],
      compared: [],
      timezone,
    } as const;
    expect(scopeOf(timeframe, july)).toMatchObject({ first_day: "2026-06-01", last_day: "2026-06-30" });
  });
});

describe("comparableStretches", () => {
  it("returns the months that two exports limit in the same way, at start and end", () => {
    const compare = (before: ExportedScope, now: ExportedScope) =>
      comparableStretches(before, now, { grain: "month", timezone: "UTC" }).map(({ period }) => period);
    const before = scope("2026-06-10", "2026-08-20");
    expect(compare(before, before)).toEqual(["2026-06", "2026-07", "2026-08"]);
    expect(compare(before, scope("2026-06-10", "2026-08-25"))).toEqual(["2026-06", "2026-07"]);
    expect(compare(before, scope("2026-06-05", "2026-08-20"))).toEqual(["2026-07", "2026-08"]);
  });

  it("returns the whole range without periods, if both ends are the same", () => {
    const compare = (now: ExportedScope) =>
      comparableStretches(scope("2026-06-10", "2026-08-20"), now, { timezone: "UTC" });
    expect(compare(scope("2026-06-10", "2026-08-20"))).toHaveLength(1);
    expect(compare(scope("2026-06-10", "2026-08-21"))).toEqual([]);
    expect(compare(scope("2026-06-11", "2026-08-20"))).toEqual([]);
  });
});
