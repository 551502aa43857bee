import { describe, expect, it } from "vitest";
import { findTotals } from "../../../src/features/spend/dated-totals.ts";
import type { SpendRow } from "../../../src/features/spend/spend-row.ts";

const row = (day: string, source: string, cost_micros: number): SpendRow => ({
  ...{ line: 2, day, source, medium: "cpc", campaign: null, campaign_id: null },
  ...{ cost_micros, currency: "EUR", clicks: null, impressions: null },
});

const OTHERS = [
  row("2026-10-04", "google", 1_000_000),
  row("2026-10-04", "google", 200_000),
  row("2026-10-04", "bing", 30_000_000),
  row("2026-10-05", "google", 7_000_000),
];

describe("findTotals", () => {
  it.each([
    ["of the day and source, half a cent off for each of its rows and itself", "google", 1_200_000, 15_000],
    ["of the day", "meta", 31_200_000, 20_000],
    ["of the file", "meta", 38_200_000, 25_000],
  ])("knows the total %s", (_, source, sum, most) => {
    const called = [sum, sum + most, sum - most, sum + most + 1, sum - most - 1].map((cost) =>
      row("2026-10-04", source, cost),
    );
    expect([...findTotals(called, OTHERS)]).toEqual(called.slice(0, 3));
  });

  it("finds no total in a row of another day or source, or without other rows", () => {
    const called = [row("2026-10-05", "bing", 30_000_000), row("2026-10-05", "google", 1_200_000)];
    expect([...findTotals(called, OTHERS)]).toEqual([]);
    expect([...findTotals([row("2026-10-05", "bing", 0)], [])]).toEqual([]);
  });
});
