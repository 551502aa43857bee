import { startFactLog } from "../../../src/warehouse/calls/fact-log.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";

/** Logs changes of facts from now on. Returns the id of the log. */
export const logFacts = (warehouse: Warehouse): number => writeTransaction(warehouse, startFactLog);

/** Reads the triggers that log changes of facts, and others of a test; without the ones that date calls and name campaigns. */
export const readTriggers = ({ sqlite }: Warehouse) =>
  sqlite
    .prepare<[], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND name NOT LIKE 'date%' AND name NOT LIKE 'name%' ORDER BY name",
    )
    .all();
