import { UsageError } from "../../base/errors.ts";
import {
  assertAccount,
  describeOrigin,
  isAt,
  isOtherUnit,
  originInWords,
  readOrigin,
  toAddress,
} from "../origin.ts";
import type { AccountWarehouse } from "../shared-calls.ts";
import type { Reader } from "../warehouse.ts";

export interface Owner {
  /** Address of the service; undefined if none is configured, and nothing is compared. */
  baseUrl?: URL | undefined;
  orgUnitId?: string | undefined;
  /** The warehouses of all accounts, whose calls must be others. @default none */
  accounts?: readonly AccountWarehouse[] | undefined;
}

export interface OwnWarehouse extends Owner {
  database: string;
}

/** @throws UsageError if the warehouse is a copy of another service or organization unit */
export function openOwn<Open extends Reader>(account: OwnWarehouse, open: (path: string) => Open): Open {
  const warehouse = open(account.database);
  try {
    assertOwn(warehouse, account);
    return warehouse;
  } catch (error) {
    warehouse[Symbol.dispose]();
    throw error;
  }
}

/** @throws UsageError if the warehouse is a copy of another service or organization unit */
export function assertOwn(warehouse: Reader, owner: Owner): void {
  const problem = findOtherOrigin(warehouse, owner);
  if (problem === undefined) return;
  throw new UsageError(`Cannot use ${warehouse.path}: ${problem}`, {
    hint: ({ database }) =>
      `Set ${database} to the account's own file. If the service has moved: calltally sync --rebind.`,
  });
}

/**
 * Prevents delivering figures of another account at the same address. @throws UsageError if the token changed since
 * the last sync
 */
export function assertOwnToken(
  warehouse: Reader,
  { baseUrl, orgUnitId, token }: Owner & { token?: string | undefined },
): void {
  if (baseUrl === undefined || token === undefined || readOrigin(warehouse).is_demo) return;
  assertAccount(warehouse, { baseUrl, orgUnitId, token });
}

/** Says that a warehouse belongs to another account; undefined if not, or if `calltally demo` made it. */
export function findOtherOrigin(warehouse: Reader, { baseUrl, orgUnitId }: Owner): string | undefined {
  const origin = readOrigin(warehouse);
  if (baseUrl === undefined || origin.is_demo) return undefined;
  if (isAt(origin, baseUrl) && !isOtherUnit(warehouse, orgUnitId)) return undefined;
  const account = `${toAddress(baseUrl)}${orgUnitId === undefined ? "" : `, org_unit_id ${orgUnitId}`}`;
  return `it is ${originInWords(describeOrigin(origin))}, and the account is at ${account}`;
}
