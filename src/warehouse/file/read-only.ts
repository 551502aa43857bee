import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { CalltallyError, EXIT } from "../../base/errors.ts";
import { describeLack, may } from "../../base/file-access.ts";
import type { Hint } from "../../base/text/words.ts";
import { APPLICATION_ID, READ_VERSION, readHeader, WRITE_VERSION } from "./file-header.ts";
import { nameFile, sqliteErrorOf } from "./sqlite-errors.ts";

/** No file system has a coarser clock: a file last written longer ago shows every further write. */
const COARSEST_CLOCK_MS = 2000;
/** A try fails if a writer opens or closes the warehouse at that moment. */
const TRIES = 3;
/** The limit of one Node buffer. */
const LARGEST_BYTES = 2 ** 31 - 1;

/** @throws the system's error */
export function assertWritable(file: string): void {
  accessSync(file, constants.W_OK);
  accessSync(dirname(file), constants.W_OK | constants.X_OK);
}

export function isWritable(file: string): boolean {
  return may(file, constants.W_OK) && may(dirname(file), constants.W_OK | constants.X_OK);
}

/**
 * Opens a warehouse that this user may only read, and leaves nothing next to it that would lock out its owner. If a
 * writer has the log and its index open, SQLite uses them; if there is no log, the file is read into memory.
 * @param file not open in this process
 * @throws CalltallyError if only a user who may write can read it (exit 7), or others keep writing (exit 6)
 */
export function openWithoutWriting(file: string): Database.Database {
  for (let tries = 1; ; tries++) {
    const sqlite = hasIndex(file) || !readHeader(file).isWal ? connect(file) : readIntoMemory(file);
    if (sqlite !== undefined) return sqlite;
    if (tries === TRIES) throw hasLog(file) ? unreadableError(file) : busyError(file);
  }
}

/** Undefined if the last writer just left and deleted its log. */
function connect(file: string): Database.Database | undefined {
  const sqlite = new Database(file, { readonly: true });
  try {
    sqlite.pragma("schema_version"); // from here on the log stays
    return sqlite;
  } catch (error) {
    sqlite.close();
    if (sqliteErrorOf(error)?.code.startsWith("SQLITE_CANTOPEN") && !hasIndex(file)) return undefined;
    throw nameFile(error, file);
  }
}

/** Reads a whole file into memory; undefined if somebody wrote to it meanwhile. Without a log, the file is complete. */
function readIntoMemory(file: string): Database.Database | undefined {
  const before = statSync(file, { bigint: true });
  if (before.size > LARGEST_BYTES || Number(before.size) * 2 > process.availableMemory())
    throw tooLargeError(file);
  pause(COARSEST_CLOCK_MS - Math.abs(Date.now() - Number(before.mtimeNs / 1_000_000n)));
  if (hasLog(file)) return undefined;
  const content = readFileSync(file);
  const after = statSync(file, { bigint: true });
  if (before.ino !== after.ino || before.size !== after.size || before.mtimeNs !== after.mtimeNs)
    return undefined;
  // A database in memory has no log.
  content.writeUInt8(1, WRITE_VERSION);
  content.writeUInt8(1, READ_VERSION);
  return new Database(content, { readonly: true });
}

/** Whether the log of a warehouse and its index exist: some process has it open, or was killed. */
export function hasIndex(file: string): boolean {
  const isThere = (suffix: string) => statSync(file + suffix, { throwIfNoEntry: false }) !== undefined;
  return isThere("-shm") && isThere("-wal");
}

function hasLog(file: string): boolean {
  return (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Blocks this thread, as every SQLite read does. */
function pause(ms: number): void {
  if (ms > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

const BACKUP_HINT: Hint = ({ database }) =>
  `Let the owner of the warehouse run \`calltally backup\`, and set ${database} to that file.`;

function unreadableError(file: string): CalltallyError {
  const lack = describeLack(`${file}-shm`) ?? describeLack(file) ?? "It cannot be written here.";
  return new CalltallyError(
    EXIT.storage,
    `Cannot read ${file}: its latest writes are in ${file}-wal, which can only be read by a user who may write`,
    {
      hint: ({ database }) =>
        `${lack} Let the owner of the warehouse run \`calltally status\` once, or \`calltally backup\`, and set ${database} to that file.`,
    },
  );
}

function busyError(file: string): CalltallyError {
  return new CalltallyError(EXIT.locked, `Cannot read ${file}: another process keeps writing to it`, {
    hint: "Try again later.",
  });
}

function tooLargeError(file: string): CalltallyError {
  return new CalltallyError(
    EXIT.storage,
    `Cannot read ${file}: without permission to write it is read into memory, and it is too large for that`,
    { hint: BACKUP_HINT },
  );
}

/** Reads the header of a file that may be open in this process, through SQLite, which keeps its locks. */
export function readHeaderThroughSqlite(
  file: string,
): Omit<ReturnType<typeof readHeader>, "isWal" | "bytes"> {
  // A read-only connection would create a log where there is none; a writing one would empty an existing log.
  const sqlite = new Database(file, { readonly: existsSync(`${file}-wal`), fileMustExist: true });
  try {
    const read = (name: string) => sqlite.pragma(name, { simple: true });
    return {
      isSqlite: true,
      isOurs: read("application_id") === APPLICATION_ID,
      schemaVersion: Number(read("user_version")),
    };
  } catch (error) {
    if (sqliteErrorOf(error)?.code !== "SQLITE_NOTADB") throw nameFile(error, file);
    return { isSqlite: false, isOurs: false, schemaVersion: 0 };
  } finally {
    sqlite.close();
  }
}
