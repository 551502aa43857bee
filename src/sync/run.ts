import { resolve } from "node:path";
import { systemClock } from "../base/clock.ts";
import { EXIT, type ExitCode } from "../base/errors.ts";
import { keepTempFilesBeside } from "../warehouse/erase.ts";
import { tryAcquireLock, underLock } from "../warehouse/lock.ts";
import { lockedError } from "../warehouse/locked-error.ts";
import { openWarehouse } from "../warehouse/open.ts";
import type { SyncRun } from "../warehouse/runs/runs.ts";
import { nameFile } from "../warehouse/sqlite-errors.ts";
import { prepareWarehouse } from "./prepare-warehouse.ts";
import { syncFromService } from "./sync-from-service.ts";
import type { SyncOptions } from "./sync-options.ts";

/** Returns the exit code that a finished run asks for. */
export function exitCodeOf({ verdict, calls_rejected, calls_withheld }: SyncRun): ExitCode {
  const isClean = verdict !== null && verdict !== "unverified" && !calls_rejected && !calls_withheld;
  return isClean ? EXIT.done : EXIT.unverified;
}

/**
 * Runs one sync: reads calls from the service into the warehouse. Returns the run as recorded in the ledger.
 *
 * @throws ApiError, InterruptedError, or CalltallyError of the warehouse; pages that were read before are kept
 */
export async function runSync(options: SyncOptions): Promise<SyncRun> {
  const database = resolve(options.database);
  keepTempFilesBeside(database);
  try {
    return await syncLocked({ ...options, database });
  } catch (error) {
    throw nameFile(error, database);
  }
}

async function syncLocked(options: SyncOptions): Promise<SyncRun> {
  const { database, clock = systemClock } = options;
  using lock = tryAcquireLock(database);
  if (lock === undefined) throw lockedError(database);
  using opened = openWarehouse(database, { isLocked: true });
  const prepared = await prepareWarehouse(underLock(opened, lock), { ...options, clock });
  const run = await syncFromService(prepared, { ...options, clock });
  opened.assertInPlace();
  return run;
}
