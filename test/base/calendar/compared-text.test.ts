import { expect, it } from "vitest";
import { comparedInWords } from "../../../src/base/calendar/compared-text.ts";

it.each([
  ["2026-11-16 2026-11-16", "2026-11-15 2026-11-15", undefined, "the day before"],
  ["2026-11-16 2026-11-22", "2026-11-09 2026-11-15", undefined, "the week before"],
  [
    "2026-11-16 2026-11-22",
    "2026-11-09 2026-11-12",
    "05:24",
    "the days from 9 Nov 2026 to 12 Nov 2026, 05:24",
  ],
  ["2026-11-16 2026-11-16", "2026-11-15 2026-11-15", "05:24", "15 Nov 2026 to 05:24"],
  ["2026-10-26 2026-11-22", "2026-09-28 2026-10-25", undefined, "the 28 days before"],
  ["2026-11-01 2026-11-30", "2026-10-01 2026-10-31", undefined, "the month before"],
  ["2026-11-01 2026-11-30", "2026-10-02 2026-10-31", undefined, "the 30 days before"],
  ["2026-11-01 2026-11-29", "2026-10-01 2026-10-31", undefined, "the days from 1 Oct 2026 to 31 Oct 2026"],
  ["2026-03-01 2026-03-31", "2026-02-01 2026-02-28", undefined, "the month before"],
  ["2026-09-01 2026-09-30", "2026-08-01 2026-08-30", undefined, "the days from 1 Aug 2026 to 30 Aug 2026"],
  ["2026-11-16 2026-11-22", "2025-11-17 2025-11-23", undefined, "the days from 17 Nov 2025 to 23 Nov 2025"],
])("comparedInWords: %s with %s to %s is %s", (range, compared, until, text) => {
  const days = (of: string) => {
    const [from = "", to = ""] = of.split(" ");
    return { from, to };
  };
  expect(comparedInWords(days(range), { ...days(compared), ...(until !== undefined && { until }) })).toBe(
    text,
  );
});
