import { systemClock } from "../../base/clock.ts";
import { FEATURES } from "../../features/list.ts";
import { sweepRunFolders } from "../../reports/delivery/run-folder.ts";
import { findCopies } from "../../warehouse/backup-table.ts";
import { eraseFreed, keepTempFilesBeside } from "../../warehouse/erase.ts";
import { acquireLock } from "../../warehouse/file/acquire-lock.ts";
import { underLock } from "../../warehouse/file/lock.ts";
import { assertThere } from "../../warehouse/file/missing.ts";
import { openExistingWarehouse } from "../../warehouse/file/open.ts";
import { type OwnWarehouse, openOwn } from "../../warehouse/file/own-warehouse.ts";
import { readPublications } from "../../warehouse/publication-table.ts";
import { type Forgettable, type ForgottenCounts, forgetCallers } from "./forget-callers.ts";
import { prepareMaskJson } from "./mask-texts.ts";
import {
  findPersonalFiles,
  holdsTraces,
  type PersonalFile,
  readOr,
  removePersonalFiles,
  tracesInExports,
} from "./personal-files.ts";

export interface ForgetOptions {
  account: OwnWarehouse;
  exportDir: string;
  isExportRemoved: boolean;
  /** Whether callers without calls are accepted, and blocked from now on. */
  isUnknownAllowed: boolean;
  signal: AbortSignal;
}

export interface ForgetResult extends ForgottenCounts {
  /** Exported files that name the callers; deleted with `isExportRemoved`. */
  files: readonly PersonalFile[];
  copies: readonly string[];
  /** Addresses of clusters that have them until the next publication. */
  clusters: readonly string[];
}

/** Returns the indexes of callers without any data in a warehouse. @throws CalltallyError (exit 6) while a sync is running */
export function findUnknown(whom: readonly Forgettable[], account: OwnWarehouse): number[] {
  assertThere(account.database);
  using lock = acquireLock(account.database);
  using opened = openOwn(account, (path) => openExistingWarehouse(path, { isLocked: true }));
  const warehouse = underLock(opened, lock);
  return forgetCallers(warehouse, whom, { nowMs: systemClock.now(), isTried: true }).unknown;
}

/** Forgets callers in a warehouse, and searches for them elsewhere. @throws CalltallyError (exit 6) while a sync is running */
export async function forgetNow(
  whom: readonly Forgettable[],
  { account, exportDir, isExportRemoved, isUnknownAllowed, signal }: ForgetOptions,
): Promise<ForgetResult> {
  const { database } = account;
  keepTempFilesBeside(database);
  assertThere(database);
  using lock = acquireLock(database);
  using opened = openOwn(account, (path) => openExistingWarehouse(path, { isLocked: true }));
  const warehouse = underLock(opened, lock);
  const forgotten = forgetCallers(warehouse, whom, { nowMs: systemClock.now(), isUnknownAllowed });
  if (forgotten.unknown.length > 0 && !isUnknownAllowed)
    return { ...forgotten, files: [], copies: [], clusters: [] };
  eraseFreed(warehouse, systemClock.now());
  sweepRunFolders(warehouse.path);

  const hashes = whom.flatMap((one) => ("callerHash" in one ? one.callerHash : []));
  const traces = tracesInExports(database, forgotten.callers, { ...forgotten, hashes });
  const maskJson = prepareMaskJson(warehouse);
  const suspects = new Set<string>();
  for (const { findFilesOf } of FEATURES)
    for (const file of (await findFilesOf?.(warehouse, forgotten.pseudonyms)) ?? []) suspects.add(file);
  const files = findPersonalFiles(warehouse, { exportFolder: exportDir, traces, suspects, maskJson });
  // Without its draft, a killed export's file would count as one that was moved away.
  for (const { settleExports } of FEATURES) await settleExports?.(warehouse);
  if (isExportRemoved) await removePersonalFiles(files, { maskJson, warehouse, signal });
  const texts = [...traces.numbers.map((number) => number.slice(1)), ...traces.texts];
  const copies = findCopies(warehouse).filter((copy) =>
    readOr(() => holdsTraces(copy, { numbers: [], texts }), true),
  );
  const clusters = readPublications(warehouse).flatMap(({ target, is_behind }) =>
    is_behind ? [target] : [],
  );
  return { ...forgotten, files, copies, clusters };
}
