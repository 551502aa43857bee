import { describe, expect, it } from "vitest";
import type { SpendRow } from "../../../src/features/spend/spend-row.ts";
import { importSpend } from "../../../src/features/spend/spend-table.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";
import { newWarehouse } from "../../support/warehouses/warehouse.ts";

const ROW: SpendRow = {
  line: 2,
  day: "2026-10-01",
  source: "google",
  medium: "cpc",
  campaign: "Brand",
  campaign_id: "1",
  cost_micros: 1_500_000,
  currency: "EUR",
  clicks: 3,
  impressions: null,
};

function importRows(
  warehouse: Warehouse,
  files: Record<string, Partial<SpendRow>[]>,
  { currency, named }: { currency?: string; named?: string } = {},
) {
  const all = Object.entries(files).map(([file, rows]) => ({
    file,
    rows: rows.map((row) => ({ ...ROW, ...row })),
  }));
  return importSpend(warehouse, all, { currency, named, importedAt: "2026-11-01T00:00:00.000Z" });
}

const readRows = ({ sqlite }: Warehouse) =>
  sqlite.prepare("SELECT day, source, cost_micros, currency, file FROM spend ORDER BY spend_id").raw().all();

describe("importSpend", () => {
  it("requires a currency for rows, not for a file without rows", () => {
    using warehouse = newWarehouse();
    expect(importRows(warehouse, { "empty.csv": [] })).toEqual({ currency: null, sources: [] });
    expect(() => importRows(warehouse, { "empty.csv": [], "a.csv": [{ currency: null }] })).toThrow(
      "currency",
    );
    expect(readRows(warehouse)).toEqual([]);
  });

  it("adds rows of one import, and replaces only repeated days of a source", () => {
    using warehouse = newWarehouse();
    const first = importRows(warehouse, {
      "a.csv": [{}, { cost_micros: 1, campaign: null, campaign_id: "7" }, { day: "2026-10-02" }],
      "b.csv": [
        { cost_micros: 2, campaign: null, campaign_id: null },
        { source: "bing", cost_micros: 1e15 },
      ],
    });
    expect(first).toEqual({
      currency: "EUR",
      sources: [
        {
          source: "google",
          days: 2,
          first_day: "2026-10-01",
          last_day: "2026-10-02",
          rows: 4,
          cost_micros: 3_000_003n,
          campaigns: ["Brand", "7", null],
          replaced: { rows: 0, cost_micros: 0n, campaigns: [] },
        },
        {
          source: "bing",
          days: 1,
          first_day: "2026-10-01",
          last_day: "2026-10-01",
          rows: 1,
          cost_micros: 1_000_000_000_000_000n,
          campaigns: ["Brand"],
          replaced: { rows: 0, cost_micros: 0n, campaigns: [] },
        },
      ],
    });
    const again = importRows(warehouse, { "c.csv": [{ cost_micros: 7 }, { day: "2026-10-03" }] });
    const replaced = { rows: 3, cost_micros: 1_500_003n, campaigns: ["Brand", "7", null] };
    expect(again.sources).toMatchObject([{ source: "google", days: 2, rows: 2, replaced }]);
    expect(readRows(warehouse)).toEqual([
      ["2026-10-02", "google", 1_500_000, "EUR", "a.csv"],
      ["2026-10-01", "bing", 1e15, "EUR", "b.csv"],
      ["2026-10-01", "google", 7, "EUR", "c.csv"],
      ["2026-10-03", "google", 1_500_000, "EUR", "c.csv"],
    ]);
  });

  it("refuses a second currency from any file, and imports nothing", () => {
    using warehouse = newWarehouse();
    expect(() => importRows(warehouse, { "a.csv": [{ currency: null }] })).toThrow("its currency is unknown");
    expect(() => importRows(warehouse, { "a.csv": [{}, { currency: "USD", line: 9 }] })).toThrow(
      "Cannot import spend in two currencies: a.csv, line 2 is in EUR, and a.csv, line 9 in USD",
    );
    expect(() => importRows(warehouse, { "a.csv": [{}] }, { named: "USD" })).toThrow("--currency is in USD");
    expect(() => importRows(warehouse, { "a.csv": [{}] }, { currency: "USD" })).toThrow(
      "the setting currency is in USD, and a.csv, line 2 in EUR",
    );
    importRows(warehouse, { "a.csv": [{ currency: null }] }, { currency: "CHF" });
    expect(() => importRows(warehouse, { "b.csv": [{ day: "2026-10-02" }] })).toThrow(
      "the warehouse is in CHF, and b.csv, line 2 in EUR",
    );
    expect(() => importRows(warehouse, { "b.csv": [{ currency: null }] }, { currency: "USD" })).not.toThrow();
    expect(readRows(warehouse)).toEqual([["2026-10-01", "google", 1_500_000, "USD", "b.csv"]]);
  });
});
