import { describe, expect, it } from "vitest";
import { daysInWords, labelOf, longLabelOf, rangeInWords } from "../../../src/base/calendar/period-text.ts";

describe("daysInWords", () => {
  it.each<[Parameters<typeof daysInWords>[0], string]>([
    [{}, "all calls"],
    [{ from: "2026-10-19" }, "19 Oct 2026 to now"],
    [{ to: "2026-11-15" }, "first call to 15 Nov 2026"],
    [{ from: "2026-10-19", to: "2026-11-15" }, "19 Oct 2026 to 15 Nov 2026"],
    [{ from: "2026-11-15", to: "2026-11-15" }, "15 Nov 2026"],
    [{ from: "2026-11-15", to: "2026-11-15", until: "05:24" }, "15 Nov 2026 to 05:24"],
    [{ from: "2026-10-19", to: "2026-11-15", until: "05:24" }, "19 Oct 2026 to 15 Nov 2026, 05:24"],
  ])("puts %j into words: %s", (days, text) => expect(daysInWords(days)).toBe(text));
});

it("labels of days, months, weeks and quarters", () => {
  const periods = ["2026-01-02", "2026-12", "2026-W07", "2026-Q3"];
  expect(periods.map(labelOf)).toEqual(["2 Jan", "Dec 2026", "2026-W07", "2026-Q3"]);
  expect(periods.map(longLabelOf)).toEqual(["2 Jan 2026", "Dec 2026", "2026-W07", "2026-Q3"]);
  expect(rangeInWords("2026-01-31 to 2027-02-01")).toBe("31 Jan 2026 to 1 Feb 2027");
});
