import { closeSync, existsSync, openSync, readSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { type BetterSQLite3Database, drizzle } from "drizzle-orm/better-sqlite3";
import { CalltallyError, EXIT } from "../errors.ts";
import { fsyncPath, makeFolder, realFile, removeFile } from "../folder.ts";
import { countMigrations, type MigrateOptions, migrate, newerError } from "./migrate.ts";
import { nameFile } from "./sqlite-errors.ts";

/** "CTLY": marks a database file as a calltally warehouse. */
const APPLICATION_ID = 0x43544c59;

/** The open warehouse; dispose of it to close the file. */
export interface Warehouse extends Disposable {
  /** Absolute path of the database file. */
  readonly path: string;
  readonly sqlite: Database.Database;
  readonly db: BetterSQLite3Database;
  /**
   * Asserts that the open file is still the one at the path.
   *
   * @throws CalltallyError (exit 7) where the file was removed, moved or replaced
   */
  assertInPlace(): void;
}

/** How long a write waits for that of another process: attributing a million calls anew takes most of a minute. */
const BUSY_MS = 60_000;

/**
 * Opens the warehouse for writing: makes it if there is none, and migrates an older schema.
 *
 * @throws CalltallyError (exit 7) if the file is empty, foreign, damaged or of a newer calltally; it is left untouched
 */
export function openWarehouse(path: string, options: MigrateOptions = {}): Warehouse {
  const file = realFile(path);
  if (!existsSync(file)) create(file, options);
  return openExistingWarehouse(file, options);
}

/** Opens an existing warehouse for writing, and migrates an older schema. */
export function openExistingWarehouse(path: string, options: MigrateOptions = {}): Warehouse {
  const file = realFile(path);
  assertOurs(file);
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

/**
 * Opens a warehouse for a short write, where it is one of this version's schema; returns undefined where there is none,
 * or one that has to be migrated first.
 *
 * @param busyMs how long a write waits for that of another process
 * @throws CalltallyError (exit 7) if the file is not ours, damaged, or of a newer calltally; it is left untouched
 */
export function openCurrentWarehouse(path: string, busyMs: number): Warehouse | undefined {
  const file = realFile(path);
  if (!existsSync(file)) return undefined;
  assertOurs(file);
  assertOneName(file);
  if (readHeader(file).schemaVersion < countMigrations()) return undefined;
  const sqlite = new Database(file, { fileMustExist: true, timeout: busyMs });
  return toWarehouse(file, sqlite);
}

/** Opens an existing warehouse to read from it. */
export function openWarehouseReader(path: string): Warehouse {
  const file = realFile(path);
  assertOurs(file);
  return openReader({ path: file });
}

/**
 * Opens another, read-only connection to a warehouse that is open here, for a long read beside its writes.
 * (Looking at the file's header once more would drop this process's locks on it.)
 */
export function openReader({ path }: Pick<Warehouse, "path">): Warehouse {
  // What it sorts goes to a file where it is large: a rollup of a million clicks must not be held in memory.
  const sqlite = new Database(path, { readonly: true });
  return toWarehouse(path, sqlite);
}

/** How often each file is open in this process. */
const openFiles = new Map<string, number>();

/** The log of a warehouse that is not there would be taken for the log of the new one. */
function assertNoLog(file: string): void {
  for (const log of [`${file}-wal`, `${file}-journal`]) {
    const size = statSync(log, { throwIfNoEntry: false })?.size;
    if (size === undefined) continue;
    if (size === 0) {
      removeFile(log);
      continue;
    }
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
  const count = (change: number) => openFiles.set(path, (openFiles.get(path) ?? 0) + change);
  count(1);
  const close = () => {
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

/** Makes the file under another name first, so that a killed run leaves no half a warehouse. */
function create(file: string, options: MigrateOptions): void {
  const folder = dirname(file);
  makeFolder(folder);
  assertNoLog(file);
  const draft = `${file}.new`;
  removeFile(draft);
  closeSync(openSync(draft, "wx", 0o600));
  const sqlite = new Database(draft);
  try {
    sqlite.pragma("page_size = 16384");
    sqlite.pragma(`application_id = ${APPLICATION_ID}`);
    sqlite.pragma("synchronous = FULL");
    migrate(sqlite, draft, { ...options, isLocked: true });
  } catch (error) {
    removeFile(draft); // on a full disk its room is dear
    throw error;
  } finally {
    sqlite.close();
  }
  renameSync(draft, file);
  fsyncPath(folder);
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

/** What the first bytes of a file say of it (SQLite file format § 1.3). */
export interface FileHeader {
  /** False for an empty file, too. */
  isSqlite: boolean;
  /** Whether calltally made it. */
  isOurs: boolean;
  /** Migrations it has had, where it is ours. */
  schemaVersion: number;
  /** Whether it writes to a log beside it, as a warehouse does and a backup does not. */
  isWal: boolean;
}

/**
 * Reads a file's header without opening it as a database, which could change it. Not for one that is open in this
 * process: closing any handle of a file drops the locks that SQLite holds on it (fcntl's way), and then another process
 * may take the log of acknowledged writes for an orphan, and delete it.
 */
export function readHeader(file: string): FileHeader {
  const header = Buffer.alloc(100);
  const handle = openSync(file, "r");
  try {
    readSync(handle, header, 0, header.length, 0);
  } finally {
    closeSync(handle);
  }
  return {
    isSqlite: header.toString("latin1", 0, 16) === "SQLite format 3\0",
    isOurs: header.readUInt32BE(68) === APPLICATION_ID,
    schemaVersion: header.readUInt32BE(60),
    isWal: header.readUInt8(18) === 2,
  };
}

/** @throws CalltallyError (exit 7) that says what is wrong with a file in the warehouse's place */
export function assertOurs(file: string): void {
  if (openFiles.get(file)) return;
  if (!existsSync(file)) {
    throw new CalltallyError(EXIT.storage, `There is no warehouse at ${file}`, {
      hint: "Run `calltally sync` first, or set CALLTALLY_DATABASE.",
    });
  }
  const stat = statSync(file);
  if (!stat.isFile()) throw notOurs(file, "is not a file");
  const { isSqlite, isOurs, schemaVersion } = readHeader(file);
  if (stat.size === 0) throw notOurs(file, "is empty");
  if (!isSqlite) throw notOurs(file, "is not an SQLite database");
  if (!isOurs) throw notOurs(file, "is an SQLite database of another program");
  const ours = countMigrations();
  if (schemaVersion > ours) throw newerError(file, schemaVersion, ours);
}

function notOurs(file: string, state: string): CalltallyError {
  return new CalltallyError(EXIT.storage, `Cannot use ${file} as the warehouse: it ${state}`, {
    hint: "It was left as it is. Move it away, or set CALLTALLY_DATABASE to another file.",
  });
}
