import { readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Draft } from "../base/draft.ts";
import { readUploadKeys } from "../conversions/upload-files.ts";
import { callerKeyOf } from "../warehouse/calls/caller-key.ts";
import { hasForgotten } from "../warehouse/calls/forgotten-callers.ts";
import { readRulesInForce } from "../warehouse/calls/rules.ts";
import { hasExportedCalls } from "../warehouse/runs/exports.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

/**
 * What happened to the key of `caller_hash`: kept; kept, though the backup's key differs; copied from the backup;
 * missing, though files, forgotten callers or conversions depend on it; needed, because the restored warehouse
 * identifies callers by it.
 */
export type RestoredKey = "kept" | "kept another" | "copied" | "missing" | "needed";

/** Copies the key of a backup, found by the name of the warehouse or the backup, if the warehouse needs one and has none. */
export function restoreKey(source: string, target: string, restored: Warehouse): RestoredKey | null {
  const own = callerKeyOf(target);
  const spares = [callerKeyOf(source), join(dirname(source), basename(own))];
  const spare = spares.find((file) => file !== own && isThere(file));
  if (isThere(own)) {
    const isSame =
      spare === undefined || readFileSync(spare, "latin1").trim() === readFileSync(own, "latin1").trim();
    return isSame ? "kept" : "kept another";
  }
  if (spare !== undefined) {
    using copy = new Draft(own);
    copy.write(readFileSync(spare), 0o600);
    copy.add();
    return "copied";
  }
  if (readRulesInForce(restored).caller_key) return "needed";
  const isUsed = hasExportedCalls(restored) || hasForgotten(restored) || readUploadKeys(restored).length > 0;
  return isUsed ? "missing" : null;
}

function isThere(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}
