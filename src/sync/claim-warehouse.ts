import type { Tx } from "../warehouse/transaction.ts";
import { UsageError } from "../base/errors.ts";
import type { Row } from "../paging/slice.ts";
import { readCallCount, readNewestCall, readStarts } from "../warehouse/calls/call-table.ts";
import { bindOrigin, isBoundTo, readOrigin, type Service, toAddress } from "../warehouse/origin.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

export interface Claim extends Service {
  /** Whether the operator says that it is the same account, by `--rebind`. */
  isRebound: boolean;
}

/**
 * Binds a warehouse to the service that its calls are read from, with the first page of a run. Nothing in the API names an
 * account: another token may be a new one or another account's, which the calls tell. A warehouse of an earlier version
 * knows no token, and takes a page of newer calls than it has.
 *
 * @param boundAt ISO 8601 UTC
 * @throws UsageError where the token is another one and no call on the page is known
 */
export function claimWarehouse(
  warehouse: Tx,
  { isRebound, ...service }: Claim,
  rows: readonly Row[],
  boundAt: string,
): void {
  if (isBoundTo(warehouse, service)) return;
  const isNew = readCallCount(warehouse) === 0;
  if (isNew && rows.length === 0) return;
  if (!isNew && !isRebound && !hasKnownCall(warehouse, rows) && !isUpgraded(warehouse, rows)) {
    const { base_url } = readOrigin(warehouse);
    const why =
      base_url === null
        ? "it does not say yet which account it is a copy of"
        : "the token is another one than at the last sync";
    throw new UsageError(
      `Cannot sync into ${warehouse.path}: ${why}, and none of the ${rows.length} calls read from ${toAddress(service.baseUrl)} is known`,
      {
        hint: "It looks like another account: set CALLTALLY_DATABASE to a file of its own. If it is the same one: calltally sync --rebind.",
      },
    );
  }
  bindOrigin(warehouse, service, boundAt);
}

/** Whether one of the calls is in the warehouse, with the same start: ids alone may be shared by accounts. */
function hasKnownCall(warehouse: Warehouse, rows: readonly Row[]): boolean {
  const starts = readStarts(
    warehouse,
    rows.flatMap(({ id }) => id ?? []),
  );
  return rows.some(({ id, started }) => id !== null && started !== null && starts.get(id) === started);
}

/** Whether an earlier version wrote the warehouse, and all calls of a page are newer than those it has. */
function isUpgraded(warehouse: Warehouse, rows: readonly Row[]): boolean {
  if (readOrigin(warehouse).base_url !== null || rows.length === 0) return false;
  const newest = readNewestCall(warehouse);
  return newest === null || rows.every(({ started }) => started !== null && started > newest);
}
