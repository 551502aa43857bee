import type { AttributionRules } from "../../src/calls/attribution/attribution-rules.ts";
import type { Call } from "../../src/calls/columns.ts";
import type { SpendRow } from "../../src/features/spend/spend-row.ts";
import { importSpend } from "../../src/features/spend/spend-table.ts";
import { writeTransaction } from "../../src/warehouse/transaction.ts";
import { markGone, newWarehouse, setRules, storeCalls } from "../support/warehouses/warehouse.ts";

/** The contents of an account. */
export interface AccountContents {
  rules: AttributionRules;
  calls: readonly Call[];
  gone: readonly number[];
  spend: readonly Omit<SpendRow, "line">[];
}

/** Returns the file of a warehouse; the first seven rows of spend are from another report than the others. */
export function makeAccountImage({ rules, calls, gone, spend }: AccountContents): Buffer {
  using warehouse = newWarehouse();
  setRules(warehouse, rules);
  writeTransaction(warehouse, () => {
    storeCalls(warehouse, calls);
    markGone(warehouse, gone);
  });
  const rows = spend.map((row, index) => ({ ...row, line: index + 2 }));
  const files = [
    { file: "b.csv", rows: rows.slice(0, 7) },
    { file: "a.csv", rows: rows.slice(7) },
  ];
  for (const [hour, file] of files.entries()) {
    importSpend(warehouse, [file], {
      currency: "EUR",
      named: undefined,
      importedAt: `2026-10-0${hour + 1}T00:00:00.000Z`,
    });
  }
  warehouse.sqlite.pragma("journal_mode = DELETE");
  return warehouse.sqlite.serialize();
}
