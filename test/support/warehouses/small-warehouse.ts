import { copyFileSync, existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Call } from "../../../src/calls/columns.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { FULL_CALL } from "./calls.ts";
import { openNewWarehouse, readRows, storeRun } from "./warehouse.ts";

export const CALLS = Array.from({ length: 40 }, (_, index) => ({
  ...FULL_CALL,
  call_id: 1000 + index,
  // Half a surrogate pair is stored as U+FFFD; its hash must not count as damage.
  summary: index === 7 ? "cut \ud83d off" : `Call ${index}: ${"a leaking tap ".repeat(20)}`,
}));

/** Each is made once, since that takes most of the time of a test. */
const made = new Map<readonly Call[], Buffer>();

/** Makes a warehouse of calls with transcripts and a run, and closes it: equal calls give the same id, like copies. */
export function makeWarehouse(file: string, calls: readonly Call[] = CALLS): void {
  const bytes = made.get(calls) ?? bytesOf(calls);
  made.set(calls, bytes);
  writeFileSync(file, bytes);
}

/** Makes the backup of such a warehouse: the same without a log. */
export function makeBackup(file: string, calls: readonly Call[] = CALLS): void {
  makeWarehouse(file, calls);
  const sqlite = new Database(file);
  sqlite.pragma("journal_mode = DELETE");
  sqlite.close();
}

function bytesOf(calls: readonly Call[]): Buffer {
  using folder = makeTempFolder();
  const file = join(folder.path, "calls.db");
  {
    using warehouse = openNewWarehouse(file);
    storeRun(warehouse, calls, { startedAt: "2026-11-20T11:00:00.000Z" });
  }
  return readFileSync(file);
}

/** Makes a folder with a warehouse of these calls, and with a backup of others if there are any. */
export function makePlace(calls: readonly Call[] = CALLS, saved?: readonly Call[]) {
  const { path: folder, remove } = makeTempFolder();
  const [database, file] = [join(folder, "calls.db"), join(folder, "backup.db")];
  makeWarehouse(database, calls);
  if (saved !== undefined) makeBackup(file, saved);
  return { folder, database, file, [Symbol.dispose]: remove };
}

export function names(folder: string): string[] {
  return readdirSync(folder).sort();
}

/** Every row of a warehouse, without the moments of changes: a restore is one. */
export function dump(file: string): unknown {
  return ["calls", "transcripts", "sync_runs", "call_facts"].map((table) =>
    readRows(file, `SELECT * FROM ${table} ORDER BY 1`).map(({ changed_ms: _, ...row }) => row),
  );
}

/** Overwrites the text of a stored call, like a failing disk: SQLite's own check does not detect it. */
export function flipByte(file: string): void {
  const bytes = readFileSync(file);
  const at = bytes.indexOf("Call 34: a leaking");
  bytes.write("X", at + 11);
  writeFileSync(file, bytes);
}

/** Makes the state after a killed process: the rows of its last transactions are only in the log. */
export function copyWithLog(from: string, to: string): void {
  for (const suffix of ["", "-wal"]) copyFileSync(from + suffix, to + suffix);
}

/** More calls than are read at once. */
export const MANY = Array.from({ length: 1100 }, (_, index) => ({ ...FULL_CALL, call_id: 1000 + index }));

/** The files of a folder that this process has open, if the system lists them. */
export function openIn(folder: string): string[] {
  if (!existsSync("/proc/self/fd")) return [];
  return readdirSync("/proc/self/fd").flatMap((handle) => {
    try {
      const file = readlinkSync(join("/proc/self/fd", handle));
      return file.startsWith(folder) ? [file] : [];
    } catch {
      return []; // the descriptor of the list itself
    }
  });
}
