import { resolve } from "node:path";
import { ApiClient } from "../api/client.ts";
import { assertNotLost } from "../backup/lost.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { EXIT, type ExitCode } from "../base/errors.ts";
import { FEATURES } from "../features/list.ts";
import { Throttle } from "../paging/throttle.ts";
import { acquireLock } from "../warehouse/acquire-lock.ts";
import { keepTempFilesBeside } from "../warehouse/erase.ts";
import { underLock } from "../warehouse/lock.ts";
import { openWarehouse } from "../warehouse/open.ts";
import { readLastDoneRun, type SyncRun } from "../warehouse/runs/runs.ts";
import { nameFile } from "../warehouse/sqlite-errors.ts";
import { createSource, type PageSize } from "./fetch.ts";
import { type PreparedWarehouse, prepareWarehouse } from "./prepare-warehouse.ts";
import { ServiceClock } from "./service-clock.ts";
import type { SyncOptions } from "./sync-options.ts";
import { syncWarehouse } from "./sync-warehouse.ts";

export function exitCodeOf({ verdict, calls_rejected, calls_withheld }: SyncRun): ExitCode {
  const isClean = verdict !== null && verdict !== "unverified" && !calls_rejected && !calls_withheld;
  return isClean ? EXIT.done : EXIT.unverified;
}

/**
 * Reads calls from the service into the warehouse. Returns the run as recorded in `sync_runs`.
 *
 * @throws ApiError, InterruptedError, or CalltallyError of the warehouse; pages read before that are kept
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
  using lock = acquireLock(database);
  assertNotLost(database);
  using opened = openWarehouse(database, { isLocked: true });
  const prepared = await prepareWarehouse(underLock(opened, lock), { ...options, clock });
  let run = await syncFromService(prepared, { ...options, clock });
  const { notices, timezone = "UTC", onNotice } = options;
  for (const { endSync } of FEATURES) {
    run = (await endSync?.(prepared.warehouse, run, { clock, timezone, notices, onNotice })) ?? run;
  }
  opened.assertInPlace();
  return run;
}

/** Reads the calls of the service into a prepared warehouse; slows down after status 429. */
async function syncFromService(
  prepared: PreparedWarehouse,
  options: SyncOptions & { clock: Clock },
): Promise<SyncRun> {
  const { clock, limit, concurrency, signal } = options;
  const throttle = new Throttle(concurrency);
  const failedIds: (string | undefined)[] = [];
  await using client = new ApiClient({
    ...options.api,
    clock,
    connections: concurrency,
    onRetry: ({ requestId, status }) => {
      failedIds.push(requestId);
      if (status === 429) throttle.slowDown();
    },
  });
  const { finished_at, clock_ahead_ms, page_rows } = readLastDoneRun(prepared.warehouse) ?? {};
  // Larger pages are tried again in a full pass that was asked for.
  const isSmaller = page_rows != null && page_rows < limit && options.force !== "full";
  const size: PageSize = isSmaller ? { rows: page_rows, lowered: page_rows } : { rows: limit };
  const isTimed = finished_at != null && clock_ahead_ms != null;
  const serviceClock = new ServiceClock(isTimed ? Date.parse(finished_at) + clock_ahead_ms : null);
  const attempts = () => ({
    retries: failedIds.length,
    failed_request_ids: JSON.stringify(failedIds.filter((id) => id !== undefined)),
    clock_ahead_ms: serviceClock.aheadMs,
    page_rows: size.lowered ?? null,
  });
  const { orgUnitId } = options.api;
  const source = createSource(client, { limit, orgUnitId, throttle, signal }, serviceClock, size);
  return await syncWarehouse({ ...options, ...prepared, source, throttle, attempts });
}
