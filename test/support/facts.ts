import type { AttributionRules } from "../../src/attribution/attribution-rules.ts";
import { attributeAll } from "../../src/warehouse/attribution/attribute-all.ts";
import { setLive } from "../../src/warehouse/calls/call-facts.ts";
import { openCallerHash } from "../../src/warehouse/calls/caller-hash.ts";
import { writeTransaction } from "../../src/warehouse/transaction.ts";
import type { Warehouse } from "../../src/warehouse/warehouse.ts";

/** Marks calls as gone, as a full pass does that did not meet them. */
export function markGone(
  warehouse: Warehouse,
  callIds: readonly number[],
  at = "2026-10-01T00:00:00.000Z",
): void {
  const mark = warehouse.sqlite.prepare(
    "UPDATE calls SET missing_since = coalesce(missing_since, ?), gone_at = ? WHERE call_id = ?",
  );
  for (const id of callIds) mark.run(at, at, id);
  writeTransaction(warehouse, (tx) => setLive(tx, callIds, false));
}

/** Puts other rules in force; with digests for callers where they say so. */
export function setRules(warehouse: Warehouse, rules: AttributionRules): void {
  const digests = rules.caller_digests ? openCallerHash(warehouse.path) : undefined;
  warehouse.sqlite
    .transaction(() => writeTransaction(warehouse, (tx) => attributeAll(tx, rules, 0, digests)).toArray())
    .immediate();
}

/** Takes all calls out of a warehouse. */
export function deleteCalls({ sqlite }: Warehouse): void {
  sqlite.exec("DELETE FROM calls; DELETE FROM callers; UPDATE counts SET value = 0");
}
