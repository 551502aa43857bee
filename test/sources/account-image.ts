import type { AttributionRules } from "../../src/calls/attribution/attribution-rules.ts";
import type { Call } from "../../src/calls/columns.ts";
import { writeTransaction } from "../../src/warehouse/transaction.ts";
import { type SpentRow, storeSpend } from "../support/warehouses/spend.ts";
import { markGone, newWarehouse, setRules, storeCalls } from "../support/warehouses/warehouse.ts";

/** The contents of an account. */
export interface AccountContents {
  rules: AttributionRules;
  calls: readonly Call[];
  gone: readonly number[];
  spend: readonly SpentRow[];
}

/** Returns the file of a warehouse; the first seven rows of spend are from another report than the others. */
export function makeAccountImage({ rules, calls, gone, spend }: AccountContents): Buffer {
  using warehouse = newWarehouse();
  setRules(warehouse, rules);
  writeTransaction(warehouse, () => {
    storeCalls(warehouse, calls);
    markGone(warehouse, gone);
  });
  storeSpend(warehouse, spend.slice(0, 7), { file: "b.csv", importedAt: "2026-10-01T00:00:00.000Z" });
  storeSpend(warehouse, spend.slice(7), { file: "a.csv", importedAt: "2026-10-02T00:00:00.000Z" });
  warehouse.sqlite.pragma("journal_mode = DELETE");
  return warehouse.sqlite.serialize();
}
