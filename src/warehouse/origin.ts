import { createHmac } from "node:crypto";
import { UsageError } from "../errors.ts";
import type { Warehouse } from "./open.ts";
import { origin } from "./schema.ts";

/** What a warehouse is a copy of, as the table `origin` has it. */
export type Origin = typeof origin.$inferSelect;

/** A service as it is asked for calls. */
export interface Service {
  baseUrl: URL;
  token: string;
}

export function readOrigin({ db, path }: Pick<Warehouse, "db" | "path">): Origin {
  const row = db.select().from(origin).get();
  if (row === undefined) throw new Error(`${path} has lost its origin`);
  return row;
}

/** Returns an address as it is kept and compared: without slashes at its end. */
export function toAddress(baseUrl: URL): string {
  return baseUrl.href.replace(/\/+$/, "");
}

/** What a warehouse is a copy of, in a manifest. */
export interface DescribedOrigin {
  /** Address of the service; null where no calls have been read since warehouses know it. */
  base_url: string | null;
  /** Name of the account there; null for the only one. */
  account: string | null;
  /** Tells warehouses apart; copies and backups of one have the same. */
  warehouse_id: string;
  /** Present where `calltally demo` made the warehouse: the calls are made up. */
  made_by_demo?: true | undefined;
}

/** Returns what a warehouse is a copy of, as manifests and `status --json` have it. */
export function describeOrigin({ base_url, account, warehouse_id, is_demo }: Origin): DescribedOrigin {
  return { base_url, account, warehouse_id, ...(is_demo && { made_by_demo: true }) };
}

/** Returns what a warehouse is a copy of, in words. */
export function originInWords({
  base_url,
  made_by_demo,
}: Pick<DescribedOrigin, "base_url" | "made_by_demo">): string {
  if (made_by_demo) return "made-up calls of calltally demo";
  return base_url === null ? "a copy of an unknown service" : `a copy of ${base_url}`;
}

/** Marks a new warehouse as one of the made-up calls of a local server. */
export function markDemo({ db }: Warehouse, baseUrl: URL): void {
  db.update(origin)
    .set({ is_demo: true, base_url: toAddress(baseUrl) })
    .run();
}

/**
 * Refuses what would mix the calls of two accounts.
 *
 * @param isRebound whether the operator says that another address is of the same account
 * @throws UsageError where the warehouse is a copy of another service, or was made by `calltally demo` from another one
 */
export function assertOrigin(
  warehouse: Warehouse,
  { baseUrl }: Pick<Service, "baseUrl">,
  isRebound = false,
): void {
  const { base_url, is_demo } = readOrigin(warehouse);
  const address = toAddress(baseUrl);
  const isSame = base_url === address || (base_url === null && !is_demo);
  if (isSame && !(is_demo && isRebound)) return;
  if (is_demo) {
    throw new UsageError(
      `Cannot mix the made-up calls in ${warehouse.path} with those of ${address}: calltally demo made it`,
      {
        hint: "Unset CALLTALLY_DATABASE, or set it to a file of its own for the account.",
      },
    );
  }
  if (isRebound) return;
  throw new UsageError(`Cannot use ${warehouse.path} with ${address}: it is a copy of ${base_url}`, {
    hint: "Set CALLTALLY_DATABASE to a file of its own for another account. If the service has moved: calltally sync --rebind.",
  });
}

/**
 * Refuses what would mix two accounts, without calls that could tell them apart.
 *
 * @throws UsageError where the warehouse is a copy of another service, or the token is another one than its calls were read with
 */
export function assertAccount(warehouse: Warehouse, service: Service): void {
  assertOrigin(warehouse, service);
  if (readOrigin(warehouse).token_mark === null || isBoundTo(warehouse, service)) return;
  throw new UsageError(
    `Cannot use ${warehouse.path} yet: the token is another one than at the last sync, and may be of another account`,
    { hint: "Run `calltally sync` first, which tells by the calls." },
  );
}

/**
 * Records the service that a warehouse is a copy of. Call it in the transaction that writes what came from there.
 *
 * @param boundAt ISO 8601 UTC
 */
export function bindOrigin(warehouse: Warehouse, service: Service, boundAt: string): void {
  const { base_url, token_mark } = readOrigin(warehouse);
  const next = { base_url: toAddress(service.baseUrl), token_mark: markOf(warehouse, service) };
  if (base_url === next.base_url && token_mark === next.token_mark) return;
  warehouse.db
    .update(origin)
    .set({ ...next, bound_at: boundAt })
    .run();
}

/** Whether calls were last read from this address and with this token. */
export function isBoundTo(warehouse: Warehouse, service: Service): boolean {
  const { base_url, token_mark } = readOrigin(warehouse);
  return base_url === toAddress(service.baseUrl) && token_mark === markOf(warehouse, service);
}

/** Too short to find the token by, and another one in each warehouse. */
function markOf(warehouse: Warehouse, { token }: Service): string {
  const { warehouse_id } = readOrigin(warehouse);
  return createHmac("sha256", warehouse_id).update(token).digest("hex").slice(0, 8);
}
