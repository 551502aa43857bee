import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Draft } from "../../base/draft.ts";
import { FEATURES } from "../../features/list.ts";
import { backups } from "../../warehouse/backup-table.ts";
import { dateAllCalls } from "../../warehouse/call-moments.ts";
import { callerKeyOf } from "../../warehouse/calls/caller-key.ts";
import { readForgotten } from "../../warehouse/calls/forgotten-callers.ts";
import { readRulesInForce } from "../../warehouse/calls/rules.ts";
import { eraseFreed } from "../../warehouse/erase.ts";
import { readHeader } from "../../warehouse/file/file-header.ts";
import type { LockedWarehouse } from "../../warehouse/file/lock.ts";
import { connect } from "../../warehouse/file/open.ts";
import { isDamage } from "../../warehouse/file/sqlite-errors.ts";
import { exports, hasExportedPseudonyms } from "../../warehouse/runs/exports.ts";
import { beginMoment, readMoment, type Tx, writeTransaction } from "../../warehouse/transaction.ts";
import type { Reader, Warehouse } from "../../warehouse/warehouse.ts";
import { forgetAgain } from "../forget/forget-callers.ts";

/**
 * What happened to the key of `caller_hash`: kept; kept, though the backup's key differs; copied from the backup;
 * missing, though files or conversions depend on it; needed, because the restored warehouse identifies callers by it,
 * all or the forgotten ones.
 */
export type RestoredKey = "kept" | "kept another" | "copied" | "missing" | "needed";

/** Copies the key of a backup, found by the name of the warehouse or the backup, if the warehouse needs one and has none. */
export async function restoreKey(
  source: string,
  target: string,
  restored: Reader,
): Promise<RestoredKey | null> {
  const keyFile = callerKeyOf(target);
  const spares = [callerKeyOf(source), join(dirname(source), basename(keyFile))];
  const spare = spares.find((file) => file !== keyFile && isThere(file));
  if (isThere(keyFile)) {
    const isSame =
      spare === undefined || readFileSync(spare, "latin1").trim() === readFileSync(keyFile, "latin1").trim();
    return isSame ? "kept" : "kept another";
  }
  if (spare !== undefined) {
    using copy = new Draft(keyFile);
    copy.write(readFileSync(spare), 0o600);
    copy.add();
    return "copied";
  }
  if (readRulesInForce(restored).caller_key || readForgotten(restored).length > 0) return "needed";
  if (hasExportedPseudonyms(restored)) return "missing";
  for (const { needsCallerKey } of FEATURES) if (await needsCallerKey?.(restored)) return "missing";
  return null;
}

function isThere(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}

/**
 * Forgets in an older backup's copy the callers whom the replaced warehouse has forgotten; returns whether there were
 * any. An unreadable warehouse has forgotten nobody.
 * @throws CalltallyError (exit 7) without the key of the digests that identify the forgotten callers
 */
export function carryForgotten(target: string, copy: LockedWarehouse, nowMs: number): boolean {
  const callers = readReplaced(target, readForgotten) ?? [];
  // With the key next to the warehouse that it becomes.
  const isChanged = callers.length > 0 && forgetAgain({ ...copy, path: target }, callers, nowMs);
  if (isChanged) eraseFreed(copy, nowMs);
  return isChanged;
}

/**
 * Dates all calls of a backup's copy: a pipeline that loads changes has those of the replaced warehouse, dated up to
 * its last moment. An unreadable warehouse has none.
 */
export function carryMoment(target: string, copy: Warehouse): void {
  const last = readReplaced(target, readMoment) ?? 0;
  writeTransaction(copy, (tx) => {
    beginMoment(tx, last + 1);
    dateAllCalls(tx);
  });
}

/**
 * Records in a backup's copy the backups and exports of the replaced warehouse, which may have data of callers whom
 * `forget` or `remove-account` shall remove. An unreadable warehouse has recorded none.
 */
export function carryRecords(target: string, copy: Warehouse): void {
  const records = readReplaced(target, readRecords);
  if (records === undefined) return;
  writeTransaction(copy, (tx) => addRecords(tx, records));
}

function readRecords({ db }: Reader) {
  return { backups: db.select().from(backups).all(), exports: db.select().from(exports).all() };
}

function addRecords({ db }: Tx, records: ReturnType<typeof readRecords>): void {
  for (const backup of records.backups) db.insert(backups).values(backup).onConflictDoNothing().run();
  const idOf = ({ path, sha256, exported_at }: (typeof records.exports)[number]) =>
    JSON.stringify([path, sha256, exported_at]);
  const known = new Set(db.select().from(exports).all().map(idOf));
  for (const record of records.exports) {
    if (known.has(idOf(record))) continue;
    // The copy has neither its id nor its run.
    const { export_id: _, ...rest } = record;
    db.insert(exports)
      .values({ ...rest, run_id: null })
      .run();
  }
}

/** Returns undefined if there is no warehouse to replace, or none that can be read. */
function readReplaced<T>(target: string, read: (warehouse: Reader) => T): T | undefined {
  if (!existsSync(target) || !readHeader(target).isOurs) return undefined;
  try {
    using warehouse = connect({ path: target });
    return read(warehouse);
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}
