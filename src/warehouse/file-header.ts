import { closeSync, existsSync, openSync, readSync } from "node:fs";
import Database from "better-sqlite3";
import { nameFile, sqliteErrorOf } from "./sqlite-errors.ts";

/** "CTLY": marks a database file as a calltally warehouse. */
export const APPLICATION_ID = 0x43544c59;

/** What the first bytes of a file say of it (SQLite file format § 1.3). */
export interface FileHeader {
  isSqlite: boolean;
  isOurs: boolean;
  schemaVersion: number;
  /** Whether it writes to a log next to it, as a warehouse does and a backup does not. */
  isWal: boolean;
}

/** Places of the two numbers that say how a database is written and read; 2 is with a log beside it, 1 without. */
export const WRITE_VERSION = 18;
export const READ_VERSION = 19;
const WAL = 2;

/**
 * Reads a file's header without opening it as a database, which could change it. Not for one that any thread of this
 * process may have open: closing a handle of a file drops the locks that SQLite holds on it (POSIX), and then another
 * process may delete the log of acknowledged writes.
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
    isWal: header.readUInt8(WRITE_VERSION) === WAL,
  };
}

/** Reads the header of a file that may be open in this process, through SQLite, which keeps its own locks. */
export function readHeaderThroughSqlite(file: string): Omit<FileHeader, "isWal"> {
  // A connection that only reads would leave a log where there is none; one that writes would empty the log that is there.
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
