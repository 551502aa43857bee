import { closeSync, existsSync, openSync, readSync } from "node:fs";
import Database from "better-sqlite3";
import { nameFile, sqliteErrorOf } from "./sqlite-errors.ts";

/** "CTLY": marks a database file as a calltally warehouse. */
export const APPLICATION_ID = 0x43544c59;

/** Offsets of the two format numbers; 2 is with a write-ahead log, 1 without. */
export const WRITE_VERSION = 18;
export const READ_VERSION = 19;
const WAL = 2;

/**
 * Reads a file's header (SQLite file format § 1.3) without opening it as a database, which could change it. Only for
 * files that no thread of this process has open: closing any handle of a file drops SQLite's locks on it (POSIX), and
 * another process could then delete a log with acknowledged writes.
 */
export function readHeader(file: string) {
  const header = Buffer.alloc(100);
  const handle = openSync(file, "r");
  try {
    readSync(handle, header, 0, header.length, 0);
  } finally {
    closeSync(handle);
  }
  const pageSize = header.readUInt16BE(16);
  return {
    isSqlite: header.toString("latin1", 0, 16) === "SQLite format 3\0",
    isOurs: header.readUInt32BE(68) === APPLICATION_ID,
    schemaVersion: header.readUInt32BE(60),
    /** Whether it uses a write-ahead log, as a warehouse does and a backup does not. */
    isWal: header.readUInt8(WRITE_VERSION) === WAL,
    /** The size of a file without a log; a shorter one is cut off. */
    bytes: (pageSize === 1 ? 65_536 : pageSize) * header.readUInt32BE(28),
  };
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
