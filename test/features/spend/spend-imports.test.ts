import { describe, expect, it } from "vitest";
import { readImports } from "../../../src/features/spend/spend-imports.ts";
import { SPEND_LEDGER } from "../../../src/features/spend/spend-ledger.ts";
import { importSpend } from "../../../src/features/spend/spend-table.ts";
import { removeImport } from "../../../src/intake/ledger.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";
import { newWarehouse } from "../../support/warehouses/warehouse.ts";

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

const [FIRST, SECOND, THIRD] = [
  "2026-11-01T00:00:00.000Z",
  "2026-11-02T00:00:00.000Z",
  "2026-11-03T00:00:00.000Z",
] as const;
const inShort = (warehouse: Warehouse) =>
  readImports(warehouse).map((each) => {
    const { number, file, source, first_day, last_day, rows, cost_micros, had_rows, replaced_by } = each;
    const state = each.removed_at !== null ? "removed" : `replaced by ${replaced_by}`;
    return `${number} ${file} ${source} ${first_day} ${last_day}, ${rows} of ${had_rows}, ${cost_micros}, ${state}`;
  });

describe("readImports", () => {
  it("lists each file and source, latest first, with its remaining rows and the import that replaced it", () => {
    using warehouse = newWarehouse();
    expect(readImports(warehouse)).toEqual([]);
    importFile(warehouse, FIRST, "a.csv", [
      ["2026-10-01", "google"],
      ["2026-10-01", "google"],
      ["2026-10-03", "google"],
      ["2026-10-01", "bing"],
    ]);
    expect(inShort(warehouse)).toEqual([
      "2 a.csv bing 2026-10-01 2026-10-01, 1 of 1, 1000000, replaced by null",
      "1 a.csv google 2026-10-01 2026-10-03, 3 of 3, 3000000, replaced by null",
    ]);
    importFile(warehouse, SECOND, "a.csv", [["2026-10-01", "google"]]);
    importFile(warehouse, THIRD, "b.csv", [
      ["2026-10-03", "google"],
      ["2026-10-04", "google"],
    ]);
    expect(inShort(warehouse)).toEqual([
      "4 b.csv google 2026-10-03 2026-10-04, 2 of 2, 2000000, replaced by null",
      "3 a.csv google 2026-10-01 2026-10-01, 1 of 1, 1000000, replaced by null",
      "2 a.csv bing 2026-10-01 2026-10-01, 1 of 1, 1000000, replaced by null",
      "1 a.csv google 2026-10-01 2026-10-03, 0 of 3, 0, replaced by 4",
    ]);
    expect(readImports(warehouse)[1]).toEqual({
      number: 3,
      imported_at: SECOND,
      file: "a.csv",
      source: "google",
      first_day: "2026-10-01",
      last_day: "2026-10-01",
      rows: 1,
      cost_micros: 1_000_000n,
      currency: "EUR",
      had_rows: 1,
      had_cost_micros: 1_000_000n,
      replaced_by: null,
      removed_at: null,
    });
  });
});

describe("removeImport", () => {
  it("removes the remaining rows of a file and source, and names the imports that are not restored", () => {
    using warehouse = newWarehouse();
    importFile(warehouse, FIRST, "a.csv", [
      ["2026-10-01", "google"],
      ["2026-10-02", "google"],
      ["2026-10-01", "bing"],
    ]);
    importFile(warehouse, SECOND, "b.csv", [["2026-10-02", "google"]]);
    const second = removeImport(warehouse, SPEND_LEDGER, { number: 3, removedAt: THIRD });
    expect(second.removed).toMatchObject({ number: 3, file: "b.csv", rows: 1 });
    expect(second.lost.map(({ number }) => number)).toEqual([1]);
    const first = removeImport(warehouse, SPEND_LEDGER, { number: 1, removedAt: THIRD });
    expect(first).toMatchObject({ removed: { file: "a.csv", source: "google", rows: 1 }, lost: [] });
    expect(inShort(warehouse)).toEqual([
      "3 b.csv google 2026-10-02 2026-10-02, 0 of 1, 0, removed",
      "2 a.csv bing 2026-10-01 2026-10-01, 1 of 1, 1000000, replaced by null",
      "1 a.csv google 2026-10-01 2026-10-02, 0 of 2, 0, removed",
    ]);
  });

  it("names only earlier imports of its source and days that have lost rows", () => {
    using warehouse = newWarehouse();
    const days = (...all: number[]) =>
      all.map((day): [string, string] => [`2026-10-${String(day).padStart(2, "0")}`, "google"]);
    importFile(warehouse, FIRST, "a.csv", days(1, 2, 10));
    importFile(warehouse, FIRST, "whole.csv", days(20));
    importFile(warehouse, FIRST, "before.csv", days(3, 4));
    importFile(warehouse, FIRST, "of-bing.csv", [
      ["2026-10-10", "bing"],
      ["2026-10-11", "bing"],
    ]);
    importFile(warehouse, FIRST, "again.csv", [["2026-10-11", "bing"]]);
    importFile(warehouse, SECOND, "later.csv", days(4));
    importFile(warehouse, SECOND, "b.csv", days(10, 30));
    importFile(warehouse, THIRD, "c.csv", days(30, 31));
    const { removed, lost } = removeImport(warehouse, SPEND_LEDGER, { number: 7, removedAt: THIRD });
    expect(removed).toMatchObject({ file: "b.csv", first_day: "2026-10-10", rows: 1 });
    expect(lost.map(({ file }) => file)).toEqual(["a.csv"]);
    const last = removeImport(warehouse, SPEND_LEDGER, { number: 6, removedAt: THIRD });
    expect(last.lost.map(({ file }) => file)).toEqual(["before.csv", "a.csv"]);
  });

  it("names an import that shares only its first or its last day", () => {
    using warehouse = newWarehouse();
    const importDays = (at: string, file: string, ...days: number[]) =>
      importFile(
        warehouse,
        at,
        file,
        days.map((day) => [`2026-10-1${day}`, "google"]),
      );
    importDays(FIRST, "middle.csv", 3, 4, 5);
    importDays(SECOND, "low.csv", 2, 3);
    importDays(SECOND, "high.csv", 5, 6);
    const lostBy = (number: number) =>
      removeImport(warehouse, SPEND_LEDGER, { number, removedAt: THIRD }).lost.map(({ file }) => file);
    expect(lostBy(2)).toEqual(["middle.csv"]);
    expect(lostBy(3)).toEqual(["middle.csv"]);
  });

  it.each([
    [0, "there is none of this number"],
    [1, "import 3 has replaced all its rows"],
    [2, "it was removed before"],
    [99, "there is none of this number"],
  ])("refuses number %s: %s", (number, why) => {
    using warehouse = newWarehouse();
    importFile(warehouse, FIRST, "a.csv", [
      ["2026-10-01", "google"],
      ["2026-10-01", "bing"],
    ]);
    importFile(warehouse, SECOND, "a.csv", [["2026-10-01", "google"]]);
    removeImport(warehouse, SPEND_LEDGER, { number: 2, removedAt: THIRD });
    expect(() => removeImport(warehouse, SPEND_LEDGER, { number, removedAt: THIRD })).toThrow(
      `Cannot remove import ${number}: ${why}`,
    );
  });
});
