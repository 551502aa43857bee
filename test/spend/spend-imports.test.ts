import { describe, expect, it } from "vitest";
import { readImports, removeImport } from "../../src/spend/spend-imports.ts";
import { importSpend } from "../../src/spend/spend-table.ts";
import type { Warehouse } from "../../src/warehouse/warehouse.ts";
import { newWarehouse } from "../support/warehouse.ts";

/** Imports rows of 1.00 EUR. */
function importFile(warehouse: Warehouse, at: string, file: string, rows: [day: string, source: string][]) {
  const all = rows.map(([day, source], index) => ({
    line: index + 2,
    day,
    source,
    medium: "cpc",
    campaign: "Brand",
    campaign_id: null,
    cost_micros: 1_000_000,
    currency: "EUR",
    clicks: null,
    impressions: null,
  }));
  importSpend(warehouse, [{ file, rows: all }], { currency: undefined, named: undefined, importedAt: at });
}

const [FIRST, SECOND] = ["2026-11-01T00:00:00.000Z", "2026-11-02T00:00:00.000Z"];
const inShort = (warehouse: Warehouse) =>
  readImports(warehouse).map(({ number, file, source, first_day, last_day, days, rows, cost_micros }) =>
    [number, file, source, first_day, last_day, days, rows, cost_micros].join(" "),
  );

describe("readImports", () => {
  it("lists the remaining rows of each file and source, latest first", () => {
    using warehouse = newWarehouse();
    expect(readImports(warehouse)).toEqual([]);
    importFile(warehouse, FIRST, "a.csv", [
      ["2026-10-01", "google"],
      ["2026-10-01", "google"],
      ["2026-10-03", "google"],
      ["2026-10-01", "bing"],
    ]);
    expect(inShort(warehouse)).toEqual([
      "3 a.csv bing 2026-10-01 2026-10-01 1 1 1000000",
      "1 a.csv google 2026-10-01 2026-10-03 2 3 3000000",
    ]);
    importFile(warehouse, SECOND, "a.csv", [["2026-10-01", "google"]]);
    expect(readImports(warehouse)).toMatchObject([
      { number: 5, imported_at: SECOND, source: "google", rows: 1, currency: "EUR" },
      { number: 4, imported_at: FIRST, source: "google", days: 1, first_day: "2026-10-03" },
      { number: 3, imported_at: FIRST, source: "bing" },
    ]);
  });
});

describe("removeImport", () => {
  it("removes the remaining rows of a file and source, and nothing else", () => {
    using warehouse = newWarehouse();
    importFile(warehouse, FIRST, "a.csv", [
      ["2026-10-01", "google"],
      ["2026-10-02", "google"],
      ["2026-10-01", "bing"],
    ]);
    importFile(warehouse, SECOND, "a.csv", [["2026-10-02", "google"]]);
    expect(removeImport(warehouse, 1)).toMatchObject({ file: "a.csv", source: "google", rows: 1 });
    expect(inShort(warehouse)).toEqual([
      "4 a.csv google 2026-10-02 2026-10-02 1 1 1000000",
      "2 a.csv bing 2026-10-01 2026-10-01 1 1 1000000",
    ]);
  });

  it.each([0, 3, 99])("refuses number %s, which is of no import", (number) => {
    using warehouse = newWarehouse();
    importFile(warehouse, FIRST, "a.csv", [
      ["2026-10-01", "google"],
      ["2026-10-02", "google"],
      ["2026-10-03", "google"],
    ]);
    expect(() => removeImport(warehouse, number)).toThrow(
      `Cannot remove import ${number}: there is none of this number`,
    );
    expect(readImports(warehouse).length).toBe(1);
  });
});
