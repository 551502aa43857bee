import { describe, expect, it } from "vitest";
import {
  comparableStretches,
  type ExportedScope,
} from "../../../src/features/restatements/comparable-periods.ts";

const scope = (from: string, to: string): ExportedScope => ({
  range_from: from,
  range_to: to,
  first_day: from,
  last_day: to,
  settled_until: "2026-12-01T00:00:00.000Z",
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
