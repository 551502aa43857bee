import { existsSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { drizzle } from "drizzle-orm/better-sqlite3";
import { Draft, removeLeftDrafts } from "../../base/draft.ts";
import { CalltallyError, EXIT, UsageError } from "../../base/errors.ts";
import { makeFolder, realFile, removeFile } from "../../base/folder.ts";
import { DEFAULT_RULES } from "../../calls/attribution/attribution-rules.ts";
import { insertRules } from "../calls/rules.ts";
import { updateViews } from "../calls/views.ts";
import { createZoneView } from "../calls/zone-view.ts";
import { assertCurrent, assertUsable, latestVersion, migrate } from "../migrate.ts";
import { writeTransaction } from "../transaction.ts";
import type { Reader, Warehouse } from "../warehouse.ts";
import { assertUndamaged, clearDamage, readDamage } from "./damage.ts";
import { APPLICATION_ID, readHeader } from "./file-header.ts";
import { missingError } from "./missing.ts";
import { openFiles, warehouseOf } from "./neighbors.ts";
import {
  assertWritable,
  hasIndex,
  isWritable,
  openWithoutWriting,
  readHeaderThroughSqlite,
} from "./read-only.ts";
import { nameFile } from "./sqlite-errors.ts";

export interface OpenOptions {
  /** Whether the caller holds the warehouse's lock, which a migration needs. @default false */
  isLocked?: boolean;
  /** Whether to open a file that is known to be damaged, to check it or to rescue what it has. @default false */
  isDamageKnown?: boolean;
}

interface ReadOptions extends Pick<OpenOptions, "isDamageKnown"> {
  /** Whether an older schema is read, too. @default false */
  anySchema?: boolean;
}

/** A warehouse that is open for writing if that is permitted. */
export interface PermittedWarehouse extends Reader {
  /** Undefined if this user may only read it. */
  readonly writer: Warehouse | undefined;
}

/** How long to wait for another writer: a sync outlasts whatever others write, and they say soon who holds the file. */
const [SYNC_BUSY_MS, BUSY_MS] = [60_000, 6_000];

/**
 * Opens the warehouse for writing; creates it if there is none, and migrates an older schema.
 * @throws CalltallyError (exit 7) if the file is empty, foreign, damaged, or of a newer or a development version; it
 * stays untouched
 */
export function openWarehouse(path: string, options?: OpenOptions): Warehouse {
  const file = realFile(path);
  if (!existsSync(file)) create(file);
  return openExistingWarehouse(file, options);
}

/** Opens an existing warehouse for writing, and migrates an older schema. */
export function openExistingWarehouse(path: string, options?: OpenOptions): Warehouse {
  const file = realFile(path);
  if (!options?.isDamageKnown) assertUndamaged(file);
  assertOurs(file);
  // SQLite would open it for reading, and leave a log that its owner cannot write to.
  assertWritable(file);
  assertOneName(file);
  const sqlite = new Database(file, {
    fileMustExist: true,
    timeout: options?.isLocked ? SYNC_BUSY_MS : BUSY_MS,
  });
  try {
    configure(sqlite);
    migrate(sqlite, file, options);
    return toWarehouse(file, sqlite);
  } catch (error) {
    sqlite.close();
    throw nameFile(error, file);
  }
}

/** For a short write. Returns undefined if there is no warehouse, it is damaged or read-only, or its schema is older. */
export function openCurrentWarehouse(path: string, busyMs: number): Warehouse | undefined {
  const file = realFile(path);
  if (!existsSync(file) || readDamage(file) !== undefined) return undefined;
  assertOurs(file);
  assertOneName(file);
  // Files that SQLite would create next to it would lock out its owner.
  if (!isWritable(file) || !isCurrent(file)) return undefined;
  return toWarehouse(file, new Database(file, { fileMustExist: true, timeout: busyMs }));
}

/**
 * Opens an existing warehouse for reading; creates no file where this user may not write.
 * @throws CalltallyError (exit 7) also for an older schema, unless `anySchema`; and if it is known to be damaged, unless
 * `isDamageKnown`
 */
export function openReader(path: string, options?: ReadOptions): Reader {
  const file = assertReadable(path, options);
  if (openFiles.get(file) || isWritable(file)) return connect({ path: file });
  return toReader(file, openWithoutWriting(file));
}

/**
 * Returns the file that the path names.
 * @throws CalltallyError (exit 7) if it is not a warehouse, and as {@link openReader} does
 */
export function assertReadable(path: string, { anySchema = false, isDamageKnown = false }: ReadOptions = {}) {
  const file = realFile(path);
  if (!isDamageKnown) assertUndamaged(file);
  assertOurs(file);
  if (!anySchema) assertCurrent(file, versionOf(file));
  return file;
}

/** Opens an existing warehouse for writing or, if that is not permitted, for reading. */
export function openAsPermitted(path: string, options?: OpenOptions): PermittedWarehouse {
  const file = realFile(path);
  assertOurs(file);
  if (!isWritable(file)) return { ...openReader(file), writer: undefined };
  const writer = openExistingWarehouse(file, options);
  return { ...writer, writer };
}

/** Opens a second connection to an open warehouse, for a long read during writes of the first. */
export function connect({ path, sqlite: open }: Pick<Reader, "path"> & Partial<Reader>): Reader {
  // Nobody writes to a copy in memory, so its one connection is enough.
  if (open?.memory) return { ...toReader(path, open), [Symbol.dispose]: () => {} };
  // Large sorts go to a file: a rollup of a million clicks must not be held in memory.
  return toReader(path, new Database(path, { readonly: true }));
}

const SMALLEST_PAGE = 512;

/** The log of a warehouse that no longer exists would be taken for the new one's. */
function assertNoLog(file: string): void {
  for (const log of [`${file}-wal`, `${file}-journal`]) {
    const size = statSync(log, { throwIfNoEntry: false })?.size;
    if (size === 0) removeFile(log);
    if (!size) continue;
    throw new CalltallyError(
      EXIT.storage,
      `Cannot make a warehouse at ${file}: ${log} is left over from another`,
      {
        hint: "It contains the last writes. Put it next to the file it belongs to, or delete it if that file is gone.",
      },
    );
  }
}

/** SQLite would take the new file for the log of the warehouse next to it. @throws UsageError */
export function assertNoNeighbor(file: string): void {
  const warehouse = warehouseOf(file);
  if (warehouse === undefined || warehouse === file) return;
  throw new UsageError(
    `Cannot make a warehouse at ${file}: that file belongs to the warehouse ${warehouse}`,
    {
      hint: ({ database }) => `Set ${database} to another file.`,
    },
  );
}

/** A log named after one of two names is invisible under the other, and so is the lock. */
function assertOneName(file: string): void {
  if (statSync(file).nlink === 1) return;
  throw new CalltallyError(EXIT.storage, `Cannot use ${file}: the file has a second name, a hard link`, {
    hint: "Writing under two names would damage it. Make a copy with `calltally backup`, and remove one of the names.",
  });
}

function toReader(path: string, sqlite: Database.Database) {
  const count = (change: number) => {
    if (!sqlite.memory) openFiles.set(path, (openFiles.get(path) ?? 0) + change);
  };
  count(1);
  const close = () => {
    if (!sqlite.open) return;
    sqlite.close();
    count(-1);
  };
  return { path, sqlite, db: drizzle(sqlite), [Symbol.dispose]: close };
}

function toWarehouse(path: string, sqlite: Database.Database): Warehouse {
  const opened = statSync(path);
  const assertInPlace = () => {
    const now = statSync(path, { throwIfNoEntry: false });
    if (now?.dev === opened.dev && now.ino === opened.ino) return;
    // The log is found by name, and would be taken for the log of the file that has this name now.
    sqlite.pragma("wal_checkpoint(TRUNCATE)");
    const what = now === undefined ? "no longer exists" : "was replaced by another file";
    throw new CalltallyError(EXIT.storage, `Cannot continue with ${path}: it ${what}`, {
      hint: ({ sync }) =>
        `It was removed, moved or replaced while it was open. Put it back, and run ${sync} again.`,
    });
  };
  return { ...toReader(path, sqlite), assertInPlace };
}

function create(file: string): void {
  assertNoNeighbor(file);
  makeFolder(dirname(file));
  assertNoLog(file);
  removeLeftDrafts(file);
  clearDamage(file); // of one that was moved away
  using draft = new Draft(file);
  draft.write("", 0o600);
  const sqlite = new Database(draft.path);
  try {
    sqlite.pragma("page_size = 16384");
    sqlite.pragma(`application_id = ${APPLICATION_ID}`);
    sqlite.pragma("synchronous = FULL");
    migrate(sqlite, draft.path, { isLocked: true });
    using warehouse = toWarehouse(draft.path, sqlite);
    // It follows the default rules until a sync applies those of the settings.
    writeTransaction(warehouse, (tx) => {
      insertRules(tx, DEFAULT_RULES, { since: new Date().toISOString(), calls: 0 });
      createZoneView(tx, "UTC");
      updateViews(tx, DEFAULT_RULES);
    });
  } finally {
    sqlite.close();
  }
  draft.replace();
}

function configure(sqlite: Database.Database): void {
  sqlite.pragma("journal_mode = WAL");
  // With WAL, NORMAL could lose acknowledged pages after a power cut.
  sqlite.pragma("synchronous = FULL");
  sqlite.pragma("foreign_keys = ON");
  // 64 MB of log instead of 16: pages written by several transactions are checkpointed once.
  sqlite.pragma("wal_autocheckpoint = 4000");
}

/** @throws CalltallyError (exit 7) that says what is wrong with the file */
export function assertOurs(file: string): void {
  if (openFiles.get(file)) return;
  // An error does not mean that there is none: another user may see it.
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) throw missingError(file);
  const state = stateOf(file, stat, headerReader(file));
  if (state === undefined) return;
  const isDamaged = stat.isFile() && !readHeader(file).isSqlite;
  const advice = isDamaged ? " If it was the warehouse, restore a backup." : "";
  throw new CalltallyError(EXIT.storage, `Cannot use ${file} as the warehouse: it ${state}`, {
    hint: ({ database }) => `It was not changed. Move it away, or set ${database} to another file.${advice}`,
  });
}

export function isCurrent(path: string): boolean {
  return versionOf(realFile(path)) >= latestVersion();
}

/** From the header: a connection would leave a log next to the file. */
function versionOf(file: string): number {
  return headerReader(file)(file).schemaVersion;
}

/** A user who may not write leaves nothing next to it; and then nobody in this process has it open for writing. */
function headerReader(file: string): typeof readHeaderThroughSqlite {
  return openFiles.get(file) || isWritable(file) || hasIndex(file) ? readHeaderThroughSqlite : readHeader;
}

/**
 * Says why a file is not a warehouse or a backup; undefined if it is one. @throws CalltallyError (exit 7) for another
 * version's file
 */
export function stateOf(
  file: string,
  stat: Stats,
  read: typeof readHeaderThroughSqlite = readHeader,
): string | undefined {
  if (!stat.isFile()) return stat.isDirectory() ? "is a folder" : "is not a file";
  if (stat.size === 0) return "is empty";
  // SQLite takes a file shorter than a page for an empty database.
  if (stat.size < SMALLEST_PAGE) return "is not an SQLite database";
  const { isSqlite, isOurs, schemaVersion } = read(file);
  if (!isSqlite) return "is not an SQLite database";
  if (!isOurs) return "is an SQLite database of another program";
  assertUsable(file, schemaVersion);
  return undefined;
}
