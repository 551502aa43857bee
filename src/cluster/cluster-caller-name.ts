import { existsSync } from "node:fs";
import { toPhoneDigits } from "../attribution/call-text.ts";
import { UsageError } from "../base/errors.ts";
import { realFile } from "../base/folder.ts";
import type { CallFilter } from "../rollup/call-filter.ts";
import { openPseudonyms, prepareCallerName } from "../warehouse/calls/caller-hash.ts";
import { openAsPermitted, openReader } from "../warehouse/open.ts";
import { readOrigin } from "../warehouse/origin.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import type { About } from "./published-about.ts";

/**
 * Returns the function from a number to the published name of its caller; undefined if callers are published as numbers, or
 * none are excluded. Reads the account's warehouse if it is on this machine.
 *
 * @throws UsageError if callers are published as digests, and the warehouse, which has the key, is not here
 */
export function toCallerName(
  { account, about }: { account: string; about: About },
  { exclude_callers }: CallFilter,
  database: string,
): ((phoneDigits: string) => string) | undefined {
  if (exclude_callers === undefined) return undefined;
  if (existsSync(realFile(database))) {
    using warehouse = openAsPermitted(database);
    using reader = openReader(warehouse);
    if (readOrigin(reader).warehouse_id === about.origin.warehouse_id)
      return readCallerNames(reader, about, exclude_callers);
  }
  if (about.is_personal && !about.caller_digests) return undefined;
  throw new UsageError(
    `Cannot leave out callers of ${account}: the cluster has keyed digests of their numbers, and the warehouse, which has the key, is not here`,
    {
      hint: "Ask for it where the warehouse is, or publish with CALLTALLY_PUBLISH_PERSONAL_DATA=true.",
    },
  );
}

/** Maps all numbers at once, so that the warehouse can be closed. */
function readCallerNames(
  reader: Warehouse,
  { is_personal }: About,
  numbers: readonly string[],
): (phoneDigits: string) => string {
  const nameCaller = prepareCallerName(reader);
  const toPublished = is_personal ? (caller: string) => caller : openPseudonyms(reader).toPseudonym;
  const names = new Map(
    numbers.map((number) => {
      const digits = toPhoneDigits(number);
      return [digits, toPublished(nameCaller(digits))];
    }),
  );
  return (phoneDigits) => names.get(phoneDigits) ?? phoneDigits;
}
