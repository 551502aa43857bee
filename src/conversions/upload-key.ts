import { CalltallyError, EXIT } from "../base/errors.ts";
import { type CallerHash, openCallerHash } from "../warehouse/calls/caller-hash.ts";
import { callerKeyOf, hasCallerKey } from "../warehouse/calls/caller-key.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { readUploadKeys } from "./upload-table.ts";

/**
 * Returns the key of the digests by which the ledger of uploads remembers click ids, phone numbers and client ids.
 *
 * @throws CalltallyError (exit 7) without the key of the digests that are there: earlier conversions would be reported again
 */
export function openUploadKey(warehouse: Pick<Warehouse, "db" | "path">): CallerHash {
  const made = readUploadKeys(warehouse);
  const isThere = hasCallerKey(warehouse.path);
  const key = isThere || made.length === 0 ? openCallerHash(warehouse.path) : undefined;
  if (key !== undefined && made.every((fingerprint) => fingerprint === key.fingerprint)) return key;
  throw new CalltallyError(
    EXIT.storage,
    `Cannot compare conversions with those uploaded before: the key of their digests, ${callerKeyOf(warehouse.path)}, is ${isThere ? "another one" : "not there"}`,
    {
      hint: "Put the key back from a backup. If it is lost for good, take the files of `calltally uploads list` back with `calltally uploads forget`; then the next file has their conversions again.",
    },
  );
}
