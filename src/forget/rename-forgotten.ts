import { toCaller } from "../attribution/call-text.ts";
import { readCallerIds } from "../warehouse/calls/call-table.ts";
import { openCallerDigests } from "../warehouse/calls/caller-hash.ts";
import { renameCallers } from "../warehouse/calls/caller-names.ts";
import type { ForgottenCallers } from "../warehouse/calls/forgotten-callers.ts";
import type { Tx } from "../warehouse/transaction.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

/** Replaces the names of forgotten callers in the facts by their pseudonyms. */
export function renameForgotten(tx: Tx, forgotten: ForgottenCallers): void {
  const toPseudonym = preparePseudonym(tx, forgotten);
  renameCallers(tx, (caller) => toPseudonym(caller) ?? caller);
}

function preparePseudonym(
  warehouse: Warehouse,
  forgotten: ForgottenCallers,
): (caller: string) => string | undefined {
  const digests = openCallerDigests(warehouse);
  const byName = new Map<string, string>();
  for (const callerId of readCallerIds(warehouse)) {
    const [caller, pseudonym] = [toCaller(callerId), forgotten.pseudonymOfId(callerId)];
    if (caller !== null && pseudonym !== undefined) byName.set(digests?.hash(caller) ?? caller, pseudonym);
  }
  const isDigest = digests !== undefined;
  return (caller) =>
    byName.get(caller) ?? (isDigest ? forgotten.pseudonymOfHash(caller) : forgotten.pseudonymOfId(caller));
}
