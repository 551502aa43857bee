import { UsageError } from "../base/errors.ts";
import type { Row } from "../service/paging/slice.ts";
import { readCallCount, readStarts } from "../warehouse/calls/call-table.ts";
import { bindOrigin, isBoundTo, type Service, toAddress } from "../warehouse/origin.ts";
import type { Tx } from "../warehouse/transaction.ts";
import type { Reader } from "../warehouse/warehouse.ts";

export interface Claim extends Service {
  /** Whether `--rebind` asserts that it is the same account. */
  isRebound: boolean;
}

/**
 * Binds a warehouse to the service that its calls are read from, with the first page of a run. The API names no account, so
 * known calls show whether a new token is of the same account.
 *
 * @param boundAt ISO 8601 UTC
 * @throws UsageError if the token has changed and no call on the page is known
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
  if (!isNew && !isRebound && !hasKnownCall(warehouse, rows)) {
    throw new UsageError(
      `Cannot sync into ${warehouse.path}: the token changed since the last sync, and none of the ${rows.length} calls read from ${toAddress(service.baseUrl)} is known`,
      {
        hint: ({ database }) =>
          `It looks like another account: set ${database} to another file. If it is the same account: calltally sync --rebind.`,
      },
    );
  }
  bindOrigin(warehouse, service, boundAt);
}

/** Compares starts as well, since two accounts may use the same ids. */
function hasKnownCall(warehouse: Reader, rows: readonly Row[]): boolean {
  const starts = readStarts(
    warehouse,
    rows.flatMap(({ id }) => id ?? []),
  );
  return rows.some(({ id, started }) => id !== null && started !== null && starts.get(id) === started);
}
