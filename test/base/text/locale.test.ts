import { afterEach, describe, expect, it } from "vitest";
import { daysInWords, labelOf } from "../../../src/base/calendar/period-text.ts";
import { inLocale, inOrderOfWeek, isLocalized, setLocale } from "../../../src/base/text/locale.ts";
import {
  formatCount,
  formatDuration,
  formatMoney,
  formatPoints,
  formatRelative,
  formatShare,
} from "../../../src/base/text/quantity-text.ts";

const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const write = () => ({
  count: formatCount(1234567),
  amount: formatMoney(1234.5, "CHF"),
  share: formatShare(981, 1800),
  change: formatRelative(0.125),
  points: formatPoints(-15),
  duration: [formatDuration(3), formatDuration(62.5), formatDuration(3600)].join(" "),
  days: daysInWords({ from: "2026-09-26", to: "2026-10-05" }),
  until: daysInWords({ from: "2026-09-26", to: "2026-10-05", until: "05:24" }),
  labels: [labelOf("2026-10-26"), labelOf("2026-10"), labelOf("2026-W44"), labelOf("2026-Q4")].join(", "),
  week: inOrderOfWeek(DAYS)[0],
});

describe("inLocale", () => {
  it.each([
    [
      undefined,
      {
        count: "1,234,567",
        amount: "1,234.50 CHF",
        share: "54.5%",
        change: "+12.5%",
        points: "-1.5 points",
        duration: "0:03 1:02.5 1:00:00",
        days: "26 Sep 2026 to 5 Oct 2026",
        until: "26 Sep 2026 to 5 Oct 2026, 05:24",
        labels: "26 Oct, Oct 2026, 2026-W44, 2026-Q4",
        week: "Mon",
      },
    ],
    [
      "de-DE",
      {
        count: "1.234.567",
        amount: "1.234,50 CHF",
        share: "54,5\u00a0%",
        change: "+12,5\u00a0%",
        points: "-1,5 points",
        duration: "0:03 1:02,5 1:00:00",
        days: "26. Sept. – 5. Okt. 2026",
        until: "26. Sept. 2026 to 5. Okt. 2026, 05:24",
        labels: "26. Okt., Okt. 2026, 2026-W44, 2026-Q4",
        week: "Mon",
      },
    ],
    [
      "en-US",
      {
        count: "1,234,567",
        amount: "1,234.50 CHF",
        share: "54.5%",
        change: "+12.5%",
        points: "-1.5 points",
        duration: "0:03 1:02.5 1:00:00",
        days: "Sep 26 – Oct 5, 2026",
        until: "Sep 26, 2026 to Oct 5, 2026, 05:24",
        labels: "Oct 26, Oct 2026, 2026-W44, 2026-Q4",
        week: "Sun",
      },
    ],
  ])("writes numbers, dates and weeks as %s does", (locale, expected) => {
    expect(inLocale(locale, write)).toEqual(expected);
  });

  it("keeps the calendar and the digits of the text where a locale has others", () => {
    const days = inLocale("fa-IR", () => daysInWords({ from: "2026-10-26", to: "2026-10-26" }));
    expect(days).toMatch(/26.*2026/);
    expect([inLocale("ar-EG", () => formatCount(12)), inLocale("ar-EG", write).week]).toEqual(["12", "Sat"]);
  });

  it("ends with its work, also if that throws, and may be within another", () => {
    const fail = () => {
      throw new Error("no");
    };
    expect(() => inLocale("de-DE", fail)).toThrow("no");
    expect(isLocalized()).toBe(false);
    const nested = inLocale("de-DE", () => [
      inLocale("en-US", () => formatMoney(0.5, null)),
      formatMoney(0.5, null),
    ]);
    expect(nested).toEqual(["0.50", "0,50"]);
  });
});

describe("setLocale", () => {
  afterEach(() => setLocale(undefined));

  it("applies to every later number and date", () => {
    setLocale("de-DE");
    expect(formatMoney(1.5, null)).toBe("1,50");
  });
});
