import { existsSync } from "node:fs";
import Database, { SqliteError } from "better-sqlite3";

/** Says who keeps others from a warehouse: the process that syncs into it, or another program. */
export function describeHolder(file: string): string {
  if (!isLocked(file)) return "another program has it locked";
  const run = readRunning(file);
  if (run === undefined) return "it is being synced by another process that has just started";
  // This process waits for another program while it syncs.
  if (run.pid === process.pid) return "another program has it locked";
  return `it is being synced by process ${run.pid} since ${run.started_at}`;
}

/** Whether a process has the lock of a warehouse. Undefined if the lock file cannot be read. */
export function isLocked(database: string): boolean | undefined {
  const file = `${database}.lock`;
  if (!existsSync(file)) return false;
  try {
    using lock = open(file);
    lock.sqlite.prepare("SELECT count(*) FROM sqlite_schema").get();
    return false;
  } catch (error) {
    return isBusy(error) ? true : undefined;
  }
}

/** Undefined also if the warehouse cannot be read. */
function readRunning(file: string): { pid: number; started_at: string } | undefined {
  try {
    using warehouse = open(file);
    const sql = `SELECT pid, started_at FROM sync_runs
      WHERE status = 'running' AND run_id = (SELECT max(run_id) FROM sync_runs)`;
    return warehouse.sqlite.prepare<[], { pid: number; started_at: string }>(sql).get();
  } catch (error) {
    if (error instanceof SqliteError) return undefined;
    throw error;
  }
}

function open(file: string): Disposable & { sqlite: Database.Database } {
  const sqlite = new Database(file, { fileMustExist: true, timeout: 0 });
  return { sqlite, [Symbol.dispose]: () => void sqlite.close() };
}

export function isBusy(error: unknown): boolean {
  return error instanceof SqliteError && error.code.startsWith("SQLITE_BUSY");
}
