import { existsSync } from "node:fs";
import { CalltallyError, EXIT } from "../base/errors.ts";
import { type Lock, tryAcquireLock } from "./lock.ts";
import { openWarehouseReader } from "./open.ts";
import { readRuns } from "./runs/runs.ts";

/** @throws CalltallyError (exit 6) that names the process holding the lock */
export function acquireLock(database: string): Lock {
  const lock = tryAcquireLock(database);
  if (lock !== undefined) return lock;
  const holder = existsSync(database) ? readHolder(database) : undefined;
  const by = holder
    ? `by process ${holder.pid} since ${holder.started_at}`
    : "by another process that has just started";
  throw new CalltallyError(EXIT.locked, `Cannot sync into ${database}: it is being synced ${by}`, {
    hint: "Wait for it to end; the lock is released with the process, so there is nothing to clean up.",
  });
}

function readHolder(database: string) {
  using warehouse = openWarehouseReader(database);
  return readRuns(warehouse, 1).find((run) => run.status === "running");
}
