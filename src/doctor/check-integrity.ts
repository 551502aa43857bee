import { ageOf } from "../base/clock.ts";
import { EXIT } from "../base/errors.ts";
import { formatAge, formatQuantity } from "../base/quantity-text.ts";
import { hasAllFacts, readCallCount } from "../warehouse/calls/call-table.ts";
import { checkRowHashes, describeDamaged } from "../warehouse/calls/row-hashes.ts";
import { findDamage } from "../warehouse/integrity.ts";
import { readLastFileCheck } from "../warehouse/runs/runs.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { type Check, fail, ok } from "./check.ts";

const REATTRIBUTE = "Run `CALLTALLY_CHECK_EVERY_HOURS=0 calltally sync`, which recomputes all of them.";

export const RESTORE =
  "Run `calltally restore` with a backup; without one, move the file away and sync again.";

/**
 * Checks the file, and with `deep` every page of it, the facts and the hash of every row.
 *
 * @throws CalltallyError for a schema that is not current
 */
export async function* checkIntegrity(
  warehouse: Warehouse,
  { deep, nowMs, signal }: { deep: boolean; nowMs: number; signal: AbortSignal },
): AsyncGenerator<Check> {
  yield ok("warehouse", `${formatQuantity(readCallCount(warehouse), "call")} in ${warehouse.path}`);
  yield ok("file", deep ? "whole, all of it checked just now" : describeLastCheck(warehouse, nowMs));
  if (!deep) return;
  yield hasAllFacts(warehouse)
    ? ok("facts", "every call has its facts, and is counted")
    : fail(EXIT.storage, "facts", "calls lack their facts, and are missing in figures", REATTRIBUTE);
  const hashes = await checkRowHashes(warehouse, signal);
  yield hashes.damaged > 0
    ? fail(EXIT.storage, "row hashes", describeDamaged(hashes), RESTORE)
    : ok("row hashes", `${formatQuantity(hashes.checked, "call")} as they were read from the service`);
}

/** Looks for damage in the whole file; undefined if there is none. */
export function checkDamage(warehouse: Warehouse): Check | undefined {
  const found = findDamage(warehouse);
  if (found === undefined) return undefined;
  return fail(EXIT.storage, "warehouse", `${warehouse.path} is damaged: ${found}`, RESTORE);
}

/** Returns when the file was last checked for damage. */
function describeLastCheck(warehouse: Warehouse, nowMs: number): string {
  const checkedAt = readLastFileCheck(warehouse);
  if (checkedAt === undefined) return "the next sync checks all of it for damage";
  return `whole, checked by sync ${formatAge(ageOf(checkedAt, nowMs))}; --deep checks it now`;
}
