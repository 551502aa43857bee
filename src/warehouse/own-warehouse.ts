import { UsageError } from "../base/errors.ts";
import type { OpenOptions } from "./open.ts";
import {
  assertAccount,
  assertOrigin,
  describeOrigin,
  originInWords,
  readOrigin,
  toAddress,
} from "./origin.ts";
import type { Warehouse } from "./warehouse.ts";

export interface Owner {
  /** Address of the service; where none is configured, nothing can be compared. */
  baseUrl?: URL | undefined;
  orgUnitId?: string | undefined;
}

export interface OwnWarehouse extends Owner {
  database: string;
}

/**
 * Opens the warehouse of an account.
 *
 * @param open how: to read or to write
 * @throws UsageError where it is a copy of another service or organization unit
 */
export function openOwn(
  own: OwnWarehouse,
  open: (path: string, options?: OpenOptions) => Warehouse,
  options?: OpenOptions,
): Warehouse {
  const warehouse = open(own.database, options);
  try {
    const problem = findOtherOrigin(warehouse, own);
    if (problem === undefined) return warehouse;
    throw new UsageError(`Cannot use ${warehouse.path}: ${problem}`, {
      hint: "Set CALLTALLY_DATABASE to the account's own file. If the service has moved: calltally sync --rebind.",
    });
  } catch (error) {
    warehouse[Symbol.dispose]();
    throw error;
  }
}

/**
 * Refuses figures that may be of another account at the same address, before they are delivered: what was delivered cannot be
 * taken back.
 *
 * @throws UsageError where the token is another one than at the last sync
 */
export function assertOwnToken(
  warehouse: Warehouse,
  { baseUrl, orgUnitId, token }: Owner & { token?: string | undefined },
): void {
  if (baseUrl === undefined || token === undefined || readOrigin(warehouse).is_demo) return;
  assertAccount(warehouse, { baseUrl, orgUnitId, token });
}

/**
 * Says that a warehouse is of another account, with both addresses; undefined where it is not. Made-up calls are anybody's:
 * each outlet says what they are.
 */
export function findOtherOrigin(warehouse: Warehouse, { baseUrl, orgUnitId }: Owner): string | undefined {
  if (baseUrl === undefined) return undefined;
  const found = readOrigin(warehouse);
  if (found.is_demo) return undefined;
  try {
    assertOrigin(warehouse, { baseUrl, orgUnitId });
    return undefined;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const account = `${toAddress(baseUrl)}${orgUnitId === undefined ? "" : `, org_unit_id ${orgUnitId}`}`;
    return `it is ${originInWords(describeOrigin(found))}, and the account is at ${account}`;
  }
}
