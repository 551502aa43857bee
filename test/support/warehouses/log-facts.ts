import { startFactLog } from "../../../src/warehouse/calls/fact-log.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";

/** Logs changes of facts from now on. Returns the id of the log. */
export const logFacts = (warehouse: Warehouse): number => writeTransaction(warehouse, startFactLog);
