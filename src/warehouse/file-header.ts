import { closeSync, openSync, readSync } from "node:fs";

/** "CTLY": marks a database file as a calltally warehouse. */
export const APPLICATION_ID = 0x43544c59;

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

/** Places of the two numbers that say how a database is written and read; 2 is with a log beside it, 1 without. */
export const WRITE_VERSION = 18;
export const READ_VERSION = 19;
const WAL = 2;

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
    isWal: header.readUInt8(WRITE_VERSION) === WAL,
  };
}
