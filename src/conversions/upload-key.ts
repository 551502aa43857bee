import { type CallerHash, openCallerHash } from "../warehouse/calls/caller-hash.ts";
import { openSameKey } from "../warehouse/calls/caller-key.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { readUploadKeys } from "./upload-files.ts";

/** @throws CalltallyError (exit 7) if the key of existing digests is missing: earlier conversions would be reported again */
export function openUploadKey(warehouse: Pick<Warehouse, "db" | "path">): CallerHash {
  const { path } = warehouse;
  const made = readUploadKeys(warehouse);
  const open = () => openCallerHash(path);
  if (made.length === 0) return open();
  return openSameKey(path, open, ({ fingerprint }) => made.every((each) => each === fingerprint), {
    use: "compare conversions with earlier uploads: the key of their digests",
    hint: "Put the key back from a backup. If it is lost for good, take back the files of `calltally uploads list` with `calltally uploads forget`; the next file then contains their conversions again.",
  });
}
