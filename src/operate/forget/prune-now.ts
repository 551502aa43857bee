import { resolve } from "node:path";
import { CalltallyError, EXIT } from "../../base/errors.ts";
import type { AttributionRules } from "../../calls/attribution/attribution-rules.ts";
import { cutoffsAt, type Keep } from "../../calls/privacy/keep-settings.ts";
import { countPrunable, type PruneCounts, prune } from "../../sync/prune.ts";
import { type AttributionOptions, applyRules } from "../../warehouse/attribution/apply-rules.ts";
import { eraseFreed, keepTempFilesBeside, overwriteDeleted } from "../../warehouse/erase.ts";
import { tryAcquireLock, underLock } from "../../warehouse/file/lock.ts";
import { assertThere } from "../../warehouse/file/missing.ts";
import { openExistingWarehouse, openReader } from "../../warehouse/file/open.ts";
import { type OwnWarehouse, openOwn } from "../../warehouse/file/own-warehouse.ts";
import { nameFile } from "../../warehouse/file/sqlite-errors.ts";
import { readErasure } from "../../warehouse/privacy-act-table.ts";

export interface PruneNowOptions extends AttributionOptions, OwnWarehouse {
  keep: Keep;
  /** Those of the settings: with digests for callers whose numbers are not always kept. */
  rules: AttributionRules;
  isDryRun: boolean;
}

/** What was removed, and whether bytes were erased, including those of earlier runs. */
export interface PruneResult {
  removed: PruneCounts;
  isErased: boolean;
}

/** Removes what may no longer be kept, and erases it from the files. @throws CalltallyError (exit 6) if others sync or read */
export async function pruneNow(options: PruneNowOptions): Promise<PruneResult> {
  const { keep, rules, isDryRun, nowMs, signal } = options;
  const database = resolve(options.database);
  const cutoffs = cutoffsAt(keep, nowMs);
  keepTempFilesBeside(database);
  try {
    if (isDryRun) {
      using reader = openOwn(options, openReader);
      return { removed: await countPrunable(reader, { cutoffs, nowMs, signal }), isErased: false };
    }
    assertThere(database);
    using lock = tryAcquireLock(database);
    if (lock === undefined) {
      throw new CalltallyError(EXIT.locked, `Cannot prune ${database}: it is being synced`, {
        hint: "Wait for the sync to end; it removed expired data before it began to read.",
      });
    }
    using opened = openOwn(options, (path) => openExistingWarehouse(path, { isLocked: true }));
    const warehouse = underLock(opened, lock);
    overwriteDeleted(warehouse);
    await applyRules(warehouse, rules, options);
    const removed = await prune(warehouse, { cutoffs, nowMs, signal });
    const isErased = readErasure(warehouse).isDue;
    if (isErased) eraseFreed(warehouse, nowMs);
    return { removed, isErased };
  } catch (error) {
    throw nameFile(error, database);
  }
}
