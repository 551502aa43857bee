import { chownSync, existsSync, linkSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { Draft, removeLeftDrafts } from "../../base/draft.ts";
import { CalltallyError, EXIT, UsageError } from "../../base/errors.ts";
import { fsyncPath, isSameFile, realFile } from "../../base/folder.ts";
import { callerKeyOf } from "../../warehouse/calls/caller-key.ts";
import { keepTempFilesBeside } from "../../warehouse/erase.ts";
import { clearDamage, DamagedError, removeNoteFolder } from "../../warehouse/file/damage.ts";
import { readHeader } from "../../warehouse/file/file-header.ts";
import { tryAcquireLock, underLock } from "../../warehouse/file/lock.ts";
import { assertNoNeighbor, assertOurs, openExistingWarehouse, stateOf } from "../../warehouse/file/open.ts";
import { findOtherOrigin, type Owner } from "../../warehouse/file/own-warehouse.ts";
import { nameFile, sqliteErrorOf } from "../../warehouse/file/sqlite-errors.ts";
import { BASELINE_VERSION } from "../../warehouse/migrate.ts";
import { carryForgotten, carryMoment, carryRecords, type RestoredKey, restoreKey } from "./carry-over.ts";
import { type CopySummary, copyWarehouse } from "./copy.ts";

/** Bytes of SQLite's largest page. */
const LARGEST_PAGE = 65_536;

export interface Restoration extends CopySummary {
  /** Absolute path. */
  database: string;
  /** Where the previous warehouse is kept; null if there was none. */
  replaced: string | null;
  /** What happened to the key of `caller_hash`; null if no file was ever written with one. */
  caller_key: RestoredKey | null;
  /** Whether the backup contained callers forgotten since, who were forgotten again. */
  forgotten_again: boolean;
}

/**
 * Keeps the previous warehouse next to the new one. If killed, either the one or the other is in place, and neither
 * is lost.
 * @throws UsageError for a backup of another account
 * @throws CalltallyError (exit 6) while anything has the warehouse open; (exit 7) for an incomplete backup
 */
export async function restoreWarehouse(
  file: string,
  database: string,
  { nowMs, signal, ...account }: Owner & { nowMs: number; signal?: AbortSignal },
): Promise<Restoration> {
  keepTempFilesBeside(database);
  const source = realFile(file);
  const target = realFile(database);
  const stat = statSync(source, { throwIfNoEntry: false });
  if (stat === undefined) {
    const hint =
      "Give the path of a file that `calltally backup` wrote; a relative one starts in the working folder.";
    throw new CalltallyError(EXIT.storage, `There is no backup at ${source}`, { hint });
  }
  if (isSameFile(target, source)) {
    const hint = "Give a file that `calltally backup` wrote; --database names the file to replace.";
    throw new UsageError(`Cannot restore ${target} from itself`, { hint });
  }
  const state = stateOf(source, stat);
  if (state !== undefined) {
    const hint = "Nothing was changed. Give the file that `calltally backup` wrote.";
    throw new CalltallyError(EXIT.storage, `Cannot restore ${source}: it ${state}`, { hint });
  }
  // SQLite reads zeros in place of a part that is missing.
  const { isWal, bytes } = readHeader(source);
  if (!isWal && stat.size < bytes) {
    throw unusable(source, `cut off: it has ${stat.size} of ${bytes} bytes`);
  }
  assertReplaceable(target);
  using lock = tryAcquireLock(target);
  if (lock === undefined) throw inUse(target);
  removeNoteFolder(target);
  removeLeftDrafts(target);
  using draft = new Draft(target);
  const copied = await copyWarehouse(source, draft.path, signal).catch((error: unknown) => {
    throw error instanceof DamagedError ? unusable(source, error.damage) : error;
  });
  // Migrates an older one at once, so that only backups are ever read in an older schema.
  using copy = openExistingWarehouse(draft.path, { isLocked: true });
  const problem = findOtherOrigin(copy, account);
  if (problem !== undefined) {
    throw new UsageError(`Cannot restore ${source}: ${problem}`, {
      hint: ({ baseUrl }) =>
        `Nothing was changed. Restore it into its own account. If the service has moved: restore it with the former address as ${baseUrl}, then run \`calltally sync --rebind\` with the new one.`,
    });
  }
  const caller_key = await restoreKey(source, target, copy);
  const forgotten_again = carryForgotten(target, underLock(copy, lock), nowMs);
  carryRecords(target, copy);
  carryMoment(target, copy);
  copy.sqlite.pragma("journal_mode = DELETE");
  copy[Symbol.dispose]();
  using _frozen = freeze(target);
  keepOwner(target, draft.path);
  const replaced = existsSync(target) ? keep(target, nowMs) : null;
  draft.replace();
  clearDamage(target); // a kill in between leaves a note that the next sync removes after a check
  return { database: target, replaced, ...copied, caller_key, forgotten_again };
}

/** Any other file may be a damaged warehouse, which is what restoring is for; it is kept, too. */
function assertReplaceable(target: string): void {
  assertNoNeighbor(target);
  const stat = statSync(target, { throwIfNoEntry: false });
  if (stat === undefined) return;
  const header = stat.isFile() ? readHeader(target) : undefined;
  if (header !== undefined && !header.isSqlite) return;
  if (header === undefined || !header.isOurs || header.schemaVersion < BASELINE_VERSION) assertOurs(target);
}

/**
 * Takes the old warehouse out of use: writes its log into it, and holds it for this process alone. Leaving WAL mode
 * works only while nobody else has it open; anybody who opens it later finds it moved, and cannot write by its name.
 * Undefined if there is none that SQLite can read.
 */
function freeze(target: string): Disposable | undefined {
  if (!existsSync(target)) return undefined;
  // SQLite deletes the log of a file shorter than one page.
  if (!readHeader(target).isSqlite || statSync(target).size < LARGEST_PAGE) return undefined;
  const sqlite = new Database(target, { timeout: 0 });
  try {
    sqlite.pragma("journal_mode = DELETE");
    sqlite.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    sqlite.close();
    const code = sqliteErrorOf(error)?.code ?? "";
    if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")) throw inUse(target);
    if (code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB") return undefined;
    throw nameFile(error, target);
  }
  return { [Symbol.dispose]: () => void sqlite.close() };
}

/** Renames the old warehouse, its log first: next to the new one, it would be written into that. */
function keep(target: string, nowMs: number): string {
  const path = `${target}.replaced-${new Date(nowMs).toISOString().replace(/[-:.]/g, "")}`;
  try {
    // With both names for a moment, so that a warehouse always exists: without one, a sync would start over.
    linkSync(target, path);
  } catch {
    renameSync(target, path); // a file system without links
  }
  for (const suffix of ["-wal", "-shm", "-journal"]) {
    if (existsSync(target + suffix)) renameSync(target + suffix, path + suffix);
  }
  fsyncPath(dirname(target));
  return path;
}

/** When root restores, the warehouse keeps its owner. */
function keepOwner(target: string, draft: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(existsSync(target) ? target : dirname(target));
  chownSync(draft, uid, gid);
  for (const file of [`${target}.lock`, callerKeyOf(target)]) if (existsSync(file)) chownSync(file, uid, gid);
}

function unusable(source: string, damage: string): DamagedError {
  return new DamagedError(source, damage, { hint: "Nothing was changed. Restore another backup." });
}

function inUse(target: string): CalltallyError {
  return new CalltallyError(EXIT.locked, `Cannot restore into ${target}: another process has it open`, {
    hint: "A sync may be running. Stop the schedule and other programs that read the warehouse, and try again.",
  });
}
