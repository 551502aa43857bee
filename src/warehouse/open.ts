import { existsSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { drizzle } from "drizzle-orm/better-sqlite3";
import { DEFAULT_RULES } from "../attribution/attribution-rules.ts";
import { Draft, removeLeftDrafts } from "../base/draft.ts";
import { CalltallyError, EXIT } from "../base/errors.ts";
import { makeFolder, realFile, removeFile } from "../base/folder.ts";
import { insertRules } from "./calls/rules.ts";
import { updateViews } from "./calls/views.ts";
import { APPLICATION_ID, readHeader, readHeaderThroughSqlite } from "./file-header.ts";
import { assertCurrent, assertUsable, latestVersion, migrate } from "./migrate.ts";
import { assertWritable, hasIndex, isWritable, openWithoutWriting } from "./read-only.ts";
import { nameFile } from "./sqlite-errors.ts";
import { writeTransaction } from "./transaction.ts";
import type { Warehouse } from "./warehouse.ts";

export interface OpenOptions {
  /** Whether the caller holds the warehouse's lock, which a migration needs. @default false */
  isLocked?: boolean;
}

/** How long a write waits for that of another process: attributing a million calls anew takes most of a minute. */
const BUSY_MS = 60_000;

/**
 * Opens the warehouse for writing: makes it if there is none, and migrates an older schema.
 *
 * @throws CalltallyError (exit 7) if the file is empty, foreign, damaged, or of a newer or a development version; it is left untouched
 */
export function openWarehouse(path: string, options?: OpenOptions): Warehouse {
  const file = realFile(path);
  if (!existsSync(file)) create(file);
  return openExistingWarehouse(file, options);
}

/** Opens an existing warehouse for writing, and migrates an older schema. */
export function openExistingWarehouse(path: string, options?: OpenOptions): Warehouse {
  const file = realFile(path);
  assertOurs(file);
  // SQLite would open it all the same, to read, and leave a log that its owner cannot write to.
  assertWritable(file);
  assertOneName(file);
  const sqlite = new Database(file, { fileMustExist: true, timeout: BUSY_MS });
  try {
    configure(sqlite);
    migrate(sqlite, file, options);
    return toWarehouse(file, sqlite);
  } catch (error) {
    sqlite.close();
    throw nameFile(error, file);
  }
}

/** For a short write; returns undefined if there is none, it is read-only here, or its schema is older. */
export function openCurrentWarehouse(path: string, busyMs: number): Warehouse | undefined {
  const file = realFile(path);
  if (!existsSync(file)) return undefined;
  assertOurs(file);
  assertOneName(file);
  // What SQLite would make beside it would keep out its owner.
  if (!isWritable(file) || !isCurrent(file)) return undefined;
  return toWarehouse(file, new Database(file, { fileMustExist: true, timeout: busyMs }));
}

/** Writes nothing beside it where this user may not write to it. @throws CalltallyError (exit 7) if its schema is older, too */
export function openWarehouseReader(path: string): Warehouse {
  const file = realFile(path);
  assertOurs(file);
  assertCurrent(file, versionOf(file));
  return openToCopy(file);
}

/** Opens an existing warehouse as {@link openWarehouseReader} does, also one of an older schema. */
export function openToCopy(path: string): Warehouse {
  const file = realFile(path);
  assertOurs(file);
  if (openFiles.get(file) || isWritable(file)) return openReader({ path: file });
  return toWarehouse(file, openWithoutWriting(file));
}

/** Opens an existing warehouse for writing; where this user may only read it, to read from it. */
export function openAsPermitted(path: string, options?: OpenOptions): Warehouse {
  const file = realFile(path);
  assertOurs(file);
  return isWritable(file) ? openExistingWarehouse(file, options) : openWarehouseReader(file);
}

/** Opens another, read-only connection to a warehouse that is open here, for a long read beside its writes. */
export function openReader({ path, sqlite: open }: Pick<Warehouse, "path"> & Partial<Warehouse>): Warehouse {
  // Nobody writes to a copy in memory, so its one connection will do.
  if (open?.memory) return { ...toWarehouse(path, open), [Symbol.dispose]: () => {} };
  // What it sorts goes to a file where it is large: a rollup of a million clicks must not be held in memory.
  return toWarehouse(path, new Database(path, { readonly: true }));
}

const SMALLEST_PAGE = 512;

/** How often each file is open in this thread; a copy in memory is none. */
const openFiles = new Map<string, number>();

/** The log of a warehouse that is not there would be taken for the log of the new one. */
function assertNoLog(file: string): void {
  for (const log of [`${file}-wal`, `${file}-journal`]) {
    const size = statSync(log, { throwIfNoEntry: false })?.size;
    if (size === 0) removeFile(log);
    if (!size) continue;
    throw new CalltallyError(EXIT.storage, `Cannot make a warehouse at ${file}: ${log} is left of another`, {
      hint: "It holds the last writes. Put it next to the file it belongs to, or delete it if that file is gone.",
    });
  }
}

/** A log that is named after one of two names would not be seen under the other, and neither would the lock. */
function assertOneName(file: string): void {
  if (statSync(file).nlink === 1) return;
  throw new CalltallyError(EXIT.storage, `Cannot use ${file}: the file has a second name, a hard link`, {
    hint: "Writing under two names would damage it. Make a copy with `calltally backup`, and remove one of the names.",
  });
}

function toWarehouse(path: string, sqlite: Database.Database): Warehouse {
  const opened = statSync(path);
  const count = (change: number) => {
    if (!sqlite.memory) openFiles.set(path, (openFiles.get(path) ?? 0) + change);
  };
  count(1);
  const close = () => {
    if (!sqlite.open) return;
    sqlite.close();
    count(-1);
  };
  const assertInPlace = () => {
    const now = statSync(path, { throwIfNoEntry: false });
    if (now?.dev === opened.dev && now.ino === opened.ino) return;
    // Its log goes by the name, and would be taken for the log of the file that has this name now.
    if (!sqlite.readonly) sqlite.pragma("wal_checkpoint(TRUNCATE)");
    const what = now === undefined ? "is not there any more" : "is another file now";
    throw new CalltallyError(EXIT.storage, `Cannot go on with ${path}: it ${what}`, {
      hint: "It was removed, moved or replaced while it was open. Run `calltally sync` again once it is where it belongs.",
    });
  };
  return { path, sqlite, db: drizzle(sqlite), assertInPlace, [Symbol.dispose]: close };
}

function create(file: string): void {
  makeFolder(dirname(file));
  assertNoLog(file);
  removeLeftDrafts(file);
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
      updateViews(tx, DEFAULT_RULES);
    });
  } finally {
    sqlite.close();
  }
  draft.replace();
}

function configure(sqlite: Database.Database): void {
  sqlite.pragma("journal_mode = WAL");
  // With WAL, NORMAL would lose pages that were acknowledged before a power cut.
  sqlite.pragma("synchronous = FULL");
  sqlite.pragma("foreign_keys = ON");
  // The upserts' statement journals otherwise go to a file.
  sqlite.pragma("temp_store = MEMORY");
  // 64 MB of log rather than 16: pages that several transactions write go into the file once.
  sqlite.pragma("wal_autocheckpoint = 4000");
}

/** @throws CalltallyError (exit 7) that says what is wrong with a file in the warehouse's place */
export function assertOurs(file: string): void {
  if (openFiles.get(file)) return;
  // What it throws is not that there is none: somebody else may see it.
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) {
    throw new CalltallyError(EXIT.storage, `There is no warehouse at ${file}`, {
      hint: "Run `calltally sync` first, or set CALLTALLY_DATABASE.",
    });
  }
  const state = stateOf(file, stat, headerReader(file));
  if (state === undefined) return;
  throw new CalltallyError(EXIT.storage, `Cannot use ${file} as the warehouse: it ${state}`, {
    hint: "It was left as it is. Move it away, or set CALLTALLY_DATABASE to another file.",
  });
}

export function isCurrent(path: string): boolean {
  return versionOf(realFile(path)) >= latestVersion();
}

/** By its header: a connection that reads from the file would leave a log beside it. */
function versionOf(file: string): number {
  return headerReader(file)(file).schemaVersion;
}

/** Who may not write leaves nothing next to it; so nobody who may write has it open in this process. */
function headerReader(file: string): typeof readHeaderThroughSqlite {
  return openFiles.get(file) || isWritable(file) || hasIndex(file) ? readHeaderThroughSqlite : readHeader;
}

/** Returns what keeps a file from being a warehouse or a backup. @throws CalltallyError (exit 7) for another version's file */
export function stateOf(
  file: string,
  stat: Stats,
  read: typeof readHeaderThroughSqlite = readHeader,
): string | undefined {
  if (!stat.isFile()) return stat.isDirectory() ? "is a folder" : "is not a file";
  if (stat.size === 0) return "is empty";
  // SQLite takes a file that is shorter than a page for an empty database.
  if (stat.size < SMALLEST_PAGE) return "is not an SQLite database";
  const { isSqlite, isOurs, schemaVersion } = read(file);
  if (!isSqlite) return "is not an SQLite database";
  if (!isOurs) return "is an SQLite database of another program";
  assertUsable(file, schemaVersion);
  return undefined;
}
