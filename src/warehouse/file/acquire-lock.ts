import { CalltallyError, EXIT } from "../../base/errors.ts";
import { describeHolder } from "./holder.ts";
import { type Lock, tryAcquireLock } from "./lock.ts";

/** @throws CalltallyError (exit 6) that names the process holding the lock */
export function acquireLock(database: string): Lock {
  const lock = tryAcquireLock(database);
  if (lock !== undefined) return lock;
  throw new CalltallyError(EXIT.locked, `Cannot sync into ${database}: ${describeHolder(database)}`, {
    hint: "Wait for it to end; the lock is released with the process, so there is nothing to clean up.",
  });
}
