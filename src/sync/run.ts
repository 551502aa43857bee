import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type Clock, systemClock } from "../base/clock.ts";
import { attempt, describeError, EXIT, type ExitCode } from "../base/errors.ts";
import { realFile } from "../base/folder.ts";
import { FEATURES } from "../features/list.ts";
import { ApiClient } from "../service/api/client.ts";
import { Throttle } from "../service/paging/throttle.ts";
import { keepTempFilesBeside } from "../warehouse/erase.ts";
import { acquireLock } from "../warehouse/file/acquire-lock.ts";
import { DamagedError } from "../warehouse/file/damage.ts";
import { underLock } from "../warehouse/file/lock.ts";
import { assertMayBegin, assertThere, findLock } from "../warehouse/file/missing.ts";
import { openCurrentWarehouse, openExistingWarehouse, openWarehouse } from "../warehouse/file/open.ts";
import { nameFile } from "../warehouse/file/sqlite-errors.ts";
import { JOB, settleJob } from "../warehouse/runs/job-table.ts";
import { failSealed, readLastDoneRun, recordFileCheck, type SyncRun } from "../warehouse/runs/runs.ts";
import { writeTransaction } from "../warehouse/transaction.ts";
import { LaterCheck } from "./check-later.ts";
import { createSource, type PageSize } from "./fetch.ts";
import { type PreparedWarehouse, prepareWarehouse } from "./prepare-warehouse.ts";
import { ServiceClock } from "./service-clock.ts";
import type { SyncOptions } from "./sync-options.ts";
import { syncWarehouse } from "./sync-warehouse.ts";

/** A check of the file is recorded after the sync: another one may write by then. */
const CHECKED_BUSY_MS = 60_000;

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
  using check = new LaterCheck(database);
  try {
    const run = await syncLocked({ ...options, database }, check);
    return await endCheck(check, run, { ...options, database });
  } catch (error) {
    throw nameFile(error, database);
  }
}

async function syncLocked(options: SyncOptions, check: LaterCheck): Promise<SyncRun> {
  const { database, clock = systemClock, begins = true, isJob = false } = options;
  if (begins) assertMayBegin(database);
  else assertThere(database);
  const remains = begins ? findLock(database) : undefined;
  using lock = acquireLock(database);
  if (remains !== undefined && !existsSync(realFile(database))) options.onBegunAgain?.(remains);
  const open = begins ? openWarehouse : openExistingWarehouse;
  using opened = open(database, { isLocked: true, isDamageKnown: true });
  const prepared = await prepareWarehouse(underLock(opened, lock), { ...options, clock });
  if (prepared.fileCheck === "later") check.start();
  const run = await syncFromService(prepared, { ...options, clock });
  const ended = await endSync(prepared, run, { ...options, clock, isJob });
  opened.assertInPlace();
  return ended;
}

/** Lets features follow a sync, and ends the failure of its job. If one of these fails, so does the run. */
async function endSync(
  { warehouse }: PreparedWarehouse,
  synced: SyncRun,
  { clock, isJob, notices, timezone = "UTC", onNotice }: SyncOptions & { clock: Clock },
): Promise<SyncRun> {
  let run = synced;
  try {
    for (const { endSync } of FEATURES)
      run = (await endSync?.(warehouse, run, { clock, timezone, notices, onNotice })) ?? run;
    if (!isJob) {
      const end = { exitCode: exitCodeOf(run), finishedAt: new Date(clock.now()).toISOString() };
      writeTransaction(warehouse, (tx) => settleJob(tx, JOB.sync, end));
    }
    return run;
  } catch (error) {
    const text = describeError(nameFile(error, warehouse.path));
    // The first error has the reason; a note of damage does not need this record.
    attempt(() => writeTransaction(warehouse, (tx) => failSealed(tx, run.run_id, text)));
    throw error;
  }
}

/** Waits for the check of a large file, without the lock, and records it. @throws DamagedError if the file is damaged */
async function endCheck(
  check: LaterCheck,
  run: SyncRun,
  { database, clock = systemClock, signal }: SyncOptions,
): Promise<SyncRun> {
  const reply = await check.end(signal);
  if (reply === undefined || "problem" in reply) return run;
  if (reply.damage !== null) throw new DamagedError(database, reply.damage);
  const checkedAt = new Date(clock.now()).toISOString();
  using warehouse = openCurrentWarehouse(database, CHECKED_BUSY_MS);
  return warehouse ? writeTransaction(warehouse, (tx) => recordFileCheck(tx, run.run_id, checkedAt)) : run;
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
