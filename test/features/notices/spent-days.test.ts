import { expect, it } from "vitest";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import { readSpentDays, toCampaign } from "../../../src/features/notices/spent-days.ts";
import type { WatchedDay } from "../../../src/features/notices/watched-days.ts";
import { storeSpend } from "../../support/warehouses/spend.ts";
import { newWarehouse, setRules } from "../../support/warehouses/warehouse.ts";

type Counted = [source: string, campaign: string, id: string, calls: Record<number, number>];

/** A day with calls of each key by hour. */
const dayOf = (day: number, ...counted: Counted[]): WatchedDay => ({
  day,
  keys: counted.map(([source, campaign, id]) => JSON.stringify([null, source, campaign, id])),
  cells: Uint32Array.from(
    counted.flatMap(([, , , calls], index) =>
      Object.entries(calls).flatMap(([hour, count]) => [24 * index + Number(hour), count]),
    ),
  ),
  delays: [],
});

// Winter has 12 calls, of them 4 from Google; Shop 5, all from Google; each Sale 3.
const CALLS = [
  dayOf(
    20_767,
    ["google", "Winter", "1", { 9: 4 }],
    ["bing", "Winter", "1", { 9: 5, 23: 1 }],
    ["google", "Shop", "1", { 0: 2 }],
    ["google", "Sale", "5", { 1: 3 }],
    ["google", "Sale", "4", { 1: 3 }],
  ),
  dayOf(20_768, ["google", "Shop", "1", { 5: 3 }], ["bing", "Winter", "1", { 5: 2 }]),
];

type Row = [day: string, source: string, campaign: string | null, id: string | null, cost?: number];

it("assigns each day with spend to the campaign of the calls, preferably of the same source", () => {
  const rows: Row[] = [
    ["2026-11-09", "google", "Too early", null],
    ["2026-11-10", "google", "New", "1"],
    ["2026-11-10", "tiktok", "New", "1"],
    ["2026-11-10", "bing", "Other", "99"],
    ["2026-11-11", "adwords", "New", "1"],
    ["2026-11-11", "tiktok", "sale", null],
    ["2026-11-12", "google", "New", "1", 0],
  ];
  using warehouse = newWarehouse();
  expect(readSpentDays(warehouse, "2026-11-10", CALLS)).toEqual(new Map());
  setRules(warehouse, { ...DEFAULT_RULES, aliases: { adwords: "google" } });
  storeSpend(
    warehouse,
    rows.map(([day, source, campaign, campaign_id, cost_micros = 1]) => ({
      ...{ day, source, medium: "cpc", campaign, campaign_id, cost_micros },
    })),
    { importedAt: "2026-11-13T00:00:00.000Z" },
  );
  const key = (campaign: string, campaign_id: string) => toCampaign({ campaign, campaign_id });
  expect(readSpentDays(warehouse, "2026-11-10", CALLS)).toEqual(
    new Map([
      [key("Shop", "1"), new Set([20_767, 20_768])],
      [key("Winter", "1"), new Set([20_767])],
      [key("Other", "99"), new Set([20_767])],
      [key("Sale", "4"), new Set([20_768])],
    ]),
  );
});
