import { createHmac } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { UsageError } from "../base/errors.ts";
import { readCallCount } from "./calls/call-table.ts";
import { countAllRejected } from "./calls/rejected.ts";
import { about, describeTable } from "./described.ts";
import type { Tx } from "./transaction.ts";
import type { Reader, Warehouse } from "./warehouse.ts";

export const origin = sqliteTable("origin", {
  warehouse_id: about(text().primaryKey(), "Random id of the warehouse, the same in its copies and backups."),
  base_url: about(text(), "Address of the service that calls are read from; null before the first."),
  org_unit_id: about(text(), "The organization unit of all requests for calls, as given; null for none."),
  account: about(text(), "Name of the account there; null for the only one."),
  token_mark: about(text(), "Eight digits of a keyed hash of the token last used, to detect a change."),
  is_demo: about(
    integer({ mode: "boolean" }).notNull().default(false),
    "1 if `calltally demo` made its calls.",
  ),
  bound_at: about(text(), "When the address was last bound, ISO 8601 UTC."),
});
export const ORIGIN = describeTable(origin, "What the warehouse is a copy of; one row.");

export type Origin = typeof origin.$inferSelect;

export interface Service {
  baseUrl: URL;
  token: string;
  orgUnitId?: string | undefined;
}

export function readOrigin({ db, path }: Reader): Origin {
  const row = db.select().from(origin).get();
  if (row === undefined) throw new Error(`${path} has lost its origin`);
  return row;
}

/** Returns an address in its stored form, without trailing slashes. */
export function toAddress(baseUrl: URL): string {
  return baseUrl.href.replace(/\/+$/, "");
}

export interface DescribedOrigin
  extends Pick<Origin, "base_url" | "org_unit_id" | "account" | "warehouse_id"> {
  /** Present if `calltally demo` made the warehouse. */
  made_by_demo?: true | undefined;
}

export function describeOrigin(origin: Origin): DescribedOrigin {
  const { base_url, org_unit_id, account, warehouse_id, is_demo } = origin;
  return { base_url, org_unit_id, account, warehouse_id, ...(is_demo && { made_by_demo: true }) };
}

export function originInWords({
  base_url,
  org_unit_id,
  made_by_demo,
}: Pick<DescribedOrigin, "base_url" | "made_by_demo"> & { org_unit_id?: string | null | undefined }): string {
  if (made_by_demo) return "made-up calls of calltally demo";
  const unit = org_unit_id ? `, org_unit_id ${org_unit_id}` : "";
  return `a copy of ${base_url ?? "an unknown service"}${unit}`;
}

export function markDemo({ db }: Warehouse, baseUrl: URL): void {
  db.update(origin)
    .set({ is_demo: true, base_url: toAddress(baseUrl) })
    .run();
}

/**
 * Prevents mixing the calls of two accounts or organization units.
 * @param isRebound whether the operator says that another address belongs to the same account
 * @throws UsageError if the warehouse belongs to another service or organization unit
 */
export function assertOrigin(
  warehouse: Reader,
  { baseUrl, orgUnitId }: Omit<Service, "token">,
  isRebound = false,
): void {
  const { path } = warehouse;
  const origin = readOrigin(warehouse);
  const address = toAddress(baseUrl);
  if (origin.is_demo && (isRebound || !isAt(origin, baseUrl))) {
    throw new UsageError(
      `Cannot mix the made-up calls in ${path} with those of ${address}: calltally demo made it`,
      {
        hint: ({ database }) => `Set ${database} to another file for the account.`,
      },
    );
  }
  if (!isRebound && !isAt(origin, baseUrl)) {
    throw new UsageError(`Cannot use ${path} with ${address}: it is a copy of ${origin.base_url}`, {
      hint: ({ database }) =>
        `Set ${database} to another file for another account. If the service has moved: calltally sync --rebind.`,
    });
  }
  if (isOtherUnit(warehouse, orgUnitId)) throw otherUnitError(origin, path, orgUnitId);
}

/** Whether a warehouse belongs to the service at this address, or is still empty. */
export function isAt({ base_url, is_demo }: Origin, baseUrl: URL): boolean {
  return base_url === toAddress(baseUrl) || (base_url === null && !is_demo);
}

export function isOtherUnit(warehouse: Reader, orgUnitId: string | undefined): boolean {
  if (readOrigin(warehouse).org_unit_id === (orgUnitId ?? null)) return false;
  return readCallCount(warehouse) > 0 || countAllRejected(warehouse) > 0;
}

/** Prevents mixing two accounts when there are no calls to compare. @throws UsageError for another service or token */
export function assertAccount(warehouse: Reader, service: Service): void {
  assertOrigin(warehouse, service);
  if (readOrigin(warehouse).token_mark === null || isBoundTo(warehouse, service)) return;
  throw new UsageError(
    `Cannot use ${warehouse.path} yet: the token changed since the last sync, and may belong to another account`,
    { hint: ({ sync }) => `Run ${sync} first, which compares the calls.` },
  );
}

/** No flag overrides this: all calls of the former unit would be missing from the new unit's pages, and count as gone. */
function otherUnitError({ org_unit_id }: Origin, path: string, orgUnitId: string | undefined): UsageError {
  const [wanted, held] = [nameUnit(orgUnitId), nameUnit(org_unit_id)];
  const same = org_unit_id === null ? "leave out" : `use ${org_unit_id} as`;
  return new UsageError(`Cannot use ${path} ${wanted}: its calls were read ${held}`, {
    hint: ({ database, orgUnitId }) =>
      `Use a separate ${database} for each organization unit; to continue with this one, ${same} ${orgUnitId}. No option changes the unit: the calls read so far would count as gone.`,
  });
}

function nameUnit(orgUnitId: string | null | undefined): string {
  return orgUnitId ? `with org_unit_id ${orgUnitId}` : "without org_unit_id";
}

/** @param boundAt ISO 8601 UTC */
export function bindOrigin(warehouse: Tx, service: Service, boundAt: string): void {
  if (isBoundTo(warehouse, service)) return;
  warehouse.db
    .update(origin)
    .set({ ...bindingOf(warehouse, service), bound_at: boundAt })
    .run();
}

export function isBoundTo(warehouse: Reader, service: Service): boolean {
  const { base_url, org_unit_id, token_mark } = readOrigin(warehouse);
  return isDeepStrictEqual({ base_url, org_unit_id, token_mark }, bindingOf(warehouse, service));
}

function bindingOf(warehouse: Reader, { baseUrl, orgUnitId, token }: Service) {
  const { warehouse_id } = readOrigin(warehouse);
  // Too short to recover the token from, and different in each warehouse.
  const token_mark = createHmac("sha256", warehouse_id).update(token).digest("hex").slice(0, 8);
  return { base_url: toAddress(baseUrl), org_unit_id: orgUnitId ?? null, token_mark };
}
