import { existsSync } from "node:fs";
import { CalltallyError, EXIT } from "../base/errors.ts";
import { openWarehouseReader } from "./open.ts";
import { readRuns } from "./runs/runs.ts";

export function lockedError(database: string): CalltallyError {
  const holder = existsSync(database) ? readHolder(database) : undefined;
  const by = holder
    ? `by process ${holder.pid} since ${holder.started_at}`
    : "by another process that has just started";
  return new CalltallyError(EXIT.locked, `Cannot sync into ${database}: it is being synced ${by}`, {
    hint: "Wait for it to end; its lock is released with the process, so there is nothing to clean up.",
  });
}

function readHolder(database: string) {
  using warehouse = openWarehouseReader(database);
  return readRuns(warehouse, 1).find((run) => run.status === "running");
}
