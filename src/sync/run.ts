import { resolve } from "node:path";
import type { ApiError } from "../api/api-errors.ts";
import { type ApiAccess, ApiClient } from "../api/client.ts";
import type { AttributionRules } from "../attribution/attribution-rules.ts";
import { ageOf, type Clock, systemClock } from "../base/clock.ts";
import { CalltallyError, EXIT, type ExitCode } from "../base/errors.ts";
import { hasAny, type PruneCounts, prune } from "../forget/prune.ts";
import { Throttle } from "../paging/throttle.ts";
import { cutoffsAt, isAllKept, KEEP_ALL, type Keep, withDigests } from "../privacy/keep-settings.ts";
import { applyRules, attributeAnew } from "../warehouse/attribution/apply-rules.ts";
import type { AttributionProgress } from "../warehouse/attribution/attribute-all.ts";
import { Keeping } from "../warehouse/calls/call-guard.ts";
import { hasAllFacts } from "../warehouse/calls/call-table.ts";
import { prepareRecognize } from "../warehouse/calls/recognize.ts";
import { readRulesInForce } from "../warehouse/calls/rules.ts";
import { eraseFreed, keepTempFilesBeside } from "../warehouse/erase.ts";
import { type LockedWarehouse, tryAcquireLock, underLock } from "../warehouse/lock.ts";
import { lockedError } from "../warehouse/locked-error.ts";
import { openWarehouse } from "../warehouse/open.ts";
import { assertOrigin } from "../warehouse/origin.ts";
import { readErasure } from "../warehouse/privacy-act-table.ts";
import { readLastDoneRun, type SyncRun } from "../warehouse/runs/runs.ts";
import { overwriteDeleted } from "../warehouse/secure-delete.ts";
import { nameFile } from "../warehouse/sqlite-errors.ts";
import { checkFile } from "./check-file.ts";
import { createSource } from "./fetch.ts";
import type { SyncProgress, SyncRules } from "./read-calls.ts";
import { ServiceClock } from "./service-clock.ts";
import { syncWarehouse } from "./sync-warehouse.ts";

const DAY_MS = 86_400_000;

export interface SyncOptions extends SyncRules {
  /** Path of the warehouse. */
  database: string;
  api: ApiAccess;
  /** Calls asked for in one page, 2 to 1000: pages of one cannot overlap. */
  limit: number;
  /** Requests that run at once. */
  concurrency: number;
  /** Attribution rules; facts computed by other rules are recomputed first. */
  rules?: AttributionRules | undefined;
  /** What is kept of calls, and how long. @default everything, always */
  keep?: Keep | undefined;
  clock?: Clock;
  /** Whether another address, or another token, is said to be of the same account. @default false */
  rebind?: boolean | undefined;
  /** Ends the run between two pages. */
  signal?: AbortSignal | undefined;
  /** The run waits for what it returns, and ends with the error that it throws or rejects with. */
  onProgress?: ((progress: SyncProgress) => unknown) | undefined;
  /** Receives the progress of recomputing the attribution after a change of the rules. */
  onAttributed?: ((progress: AttributionProgress) => void) | undefined;
  /** Receives what was removed since it may not be kept any more, where there was anything. */
  onPruned?: ((counts: PruneCounts) => void) | undefined;
  /** Receives why the bytes of what was removed could not be erased from the files of the warehouse. */
  onNotErased?: ((error: CalltallyError) => void) | undefined;
}

/** Returns the exit code that a finished run asks for. */
export function exitCodeOf({ verdict, calls_rejected, calls_withheld }: SyncRun): ExitCode {
  const isClean = verdict !== null && verdict !== "unverified" && !calls_rejected && !calls_withheld;
  return isClean ? EXIT.done : EXIT.unverified;
}

/**
 * Runs one sync: reads calls from the service into the warehouse. Returns the run as it stands in the ledger.
 *
 * @throws ApiError, InterruptedError, or CalltallyError of the warehouse; the pages read before are kept
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
  const { database, clock = systemClock, limit, concurrency, signal, keep = KEEP_ALL } = options;
  using lock = tryAcquireLock(database);
  if (lock === undefined) throw lockedError(database);
  using opened = openWarehouse(database, { isLocked: true });
  const warehouse = underLock(opened, lock);
  const claim = { ...options.api, isRebound: options.rebind ?? false };
  assertOrigin(warehouse, claim, claim.isRebound);
  const fileCheckedAt = checkFile(warehouse, { clock, checkEveryHours: options.checkEveryHours });
  const rules = withDigests(options.rules ?? readRulesInForce(warehouse).rules, keep);
  const attribution = { ...options, nowMs: clock.now() };
  // With the whole file at hand: facts that something else has left out would never come back by themselves.
  if (fileCheckedAt !== undefined && !hasAllFacts(warehouse))
    await attributeAnew(warehouse, rules, attribution);
  else await applyRules(warehouse, rules, attribution);

  // Before anything is read: a service that cannot be reached must not keep what is past its days.
  const keeping = await startKeeping(warehouse, keep, { ...options, nowMs: clock.now() });

  const throttle = new Throttle(concurrency);
  const failures: ApiError[] = [];
  await using client = new ApiClient({
    ...options.api,
    clock,
    connections: concurrency,
    onRetry: (error) => {
      failures.push(error);
      if (error.status === 429) throttle.slowDown();
    },
  });
  const serviceClock = new ServiceClock(readLastDoneRun(warehouse)?.clock_ahead_ms ?? null);
  const attempts = () => ({
    retries: failures.length,
    failed_request_ids: JSON.stringify(failures.flatMap(({ requestId }) => requestId ?? [])),
    clock_ahead_ms: serviceClock.aheadMs,
  });
  const recognize = prepareRecognize(warehouse, options.recordingSignature ?? new Set(), keeping);
  const { orgUnitId } = options.api;
  const source = createSource(client, { limit, orgUnitId, throttle, recognize, signal }, serviceClock);
  const run = await syncWarehouse({
    ...options,
    fileCheckedAt,
    warehouse,
    source,
    claim,
    keeping,
    clock,
    throttle,
    attempts,
  });
  warehouse.assertInPlace();
  return run;
}

type PruneOptions = Pick<SyncOptions, "signal" | "onPruned" | "onNotErased"> & { nowMs: number };

/** Removes what is past its days, and returns what may be kept of the calls of this run. */
async function startKeeping(
  warehouse: LockedWarehouse,
  keep: Keep,
  { nowMs, signal, onPruned, onNotErased }: PruneOptions,
): Promise<Keeping> {
  const cutoffs = cutoffsAt(keep, nowMs);
  if (!isAllKept(keep)) overwriteDeleted(warehouse);
  const counts = await prune(warehouse, { cutoffs, nowMs, signal });
  if (hasAny(counts)) onPruned?.(counts);
  eraseDaily(warehouse, nowMs, onNotErased);
  return new Keeping(warehouse, cutoffs, nowMs);
}

/** To write the whole file anew takes seconds for each gigabyte: once a day will do. A reader that is in the way is no failure. */
function eraseDaily(
  warehouse: LockedWarehouse,
  nowMs: number,
  onNotErased: SyncOptions["onNotErased"],
): void {
  const { isDue, last } = readErasure(warehouse);
  if (!isDue || ageOf(last, nowMs) < DAY_MS) return;
  try {
    eraseFreed(warehouse, nowMs);
  } catch (error) {
    if (!(error instanceof CalltallyError)) throw error;
    onNotErased?.(error);
  }
}
