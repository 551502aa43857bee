import { closeSync, openSync, readSync } from "node:fs";

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
