import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { CalltallyError, EXIT } from "../base/errors.ts";
import { realFile } from "../base/folder.ts";
import type { LockedWarehouse } from "./file/lock.ts";
import { sqliteErrorOf } from "./file/sqlite-errors.ts";
import { markErased } from "./privacy-act-table.ts";
import type { Warehouse } from "./warehouse.ts";

const BUSY_MS = 5000;
const AGAIN =
  "The personal data is already gone from the tables. Run the same command again to erase it from the file.";

/**
 * Rewrites the file, because free pages keep old bytes, and empties the log. Needs twice the size of the warehouse.
 * @throws CalltallyError if another process reads or writes for longer than `busyMs` (exit 6), or the disk is
 * full (exit 7)
 */
export function eraseFreed(warehouse: LockedWarehouse, nowMs: number, busyMs = BUSY_MS): void {
  const { sqlite, path } = warehouse;
  const formerMs = Number(sqlite.pragma("busy_timeout", { simple: true }));
  overwriteDeleted(warehouse);
  sqlite.pragma(`busy_timeout = ${busyMs}`);
  try {
    sqlite.exec("VACUUM");
    emptyLog(warehouse);
    markErased(warehouse, new Date(nowMs).toISOString());
  } catch (error) {
    const cause = sqliteErrorOf(error);
    if (cause === undefined) throw error;
    if (cause.code.startsWith("SQLITE_BUSY") || cause.code.startsWith("SQLITE_LOCKED"))
      throw heldError(path, cause);
    const isFull = cause.code === "SQLITE_FULL" || cause.code.startsWith("SQLITE_IOERR");
    const room = Math.ceil((2 * statSync(path).size) / 1e6);
    throw new CalltallyError(EXIT.storage, `Cannot erase removed data from ${path} (${cause.code})`, {
      cause,
      hint: isFull ? `${AGAIN} It temporarily needs ${room} MB of free disk space.` : AGAIN,
    });
  } finally {
    sqlite.pragma(`busy_timeout = ${formerMs}`);
  }
}

/** Makes SQLite overwrite what this connection deletes with zeros. */
export function overwriteDeleted({ sqlite }: Warehouse): void {
  sqlite.pragma("secure_delete = ON");
}

/** Makes SQLite put temporary files into the warehouse's folder: other folders may be small, or in memory. */
export function keepTempFilesBeside(database: string): void {
  process.env.SQLITE_TMPDIR ??= dirname(realFile(database));
}

/** Checkpoints and truncates the log, unless a reader of an earlier moment needs it. */
function emptyLog({ sqlite, path }: Warehouse): void {
  sqlite.pragma("wal_checkpoint(TRUNCATE)");
  const log = `${path}-wal`;
  if (existsSync(log) && statSync(log).size > 0) throw heldError(path);
}

function heldError(path: string, cause?: unknown): CalltallyError {
  return new CalltallyError(
    EXIT.locked,
    `Cannot erase removed data from ${path}: another process has it open`,
    {
      cause,
      hint: `${AGAIN} An export, a query or a sync may be reading it: wait for it to end, or stop it.`,
    },
  );
}
