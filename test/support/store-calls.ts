import type { Call } from "../../src/call.ts";
import {
  prepareUpsertCalls,
  type Upserted,
  type UpsertOptions,
} from "../../src/warehouse/calls/call-table.ts";
import { writeTransaction } from "../../src/warehouse/transaction.ts";
import type { Warehouse } from "../../src/warehouse/warehouse.ts";

/** Writes calls and their facts, as a run does. */
export function storeCalls(
  warehouse: Warehouse,
  calls: readonly Call[],
  { runId = 1, ...options }: UpsertOptions & { runId?: number } = {},
): Upserted {
  return writeTransaction(warehouse, (tx) => prepareUpsertCalls(warehouse, runId, options)(tx, calls));
}
