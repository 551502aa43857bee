import { readLayers } from "../config/load-settings.ts";
import { SETTINGS } from "../config/settings.ts";
import type { SyncProgress } from "../sync/read-calls.ts";
import { runSync } from "../sync/run.ts";
import { toSyncOptions } from "../sync/sync-options.ts";
import type { SyncRun as LedgerRun } from "../warehouse/runs/runs.ts";
import { inOwnWords } from "./own-words.ts";
import { parseSyncOptions } from "./parse-options.ts";
import type { SyncOptions, SyncRun } from "./types.ts";

/**
 * Reads calls from the service into a warehouse, as `calltally sync` does, and returns how complete the pass was. It
 * ignores the environment and files of settings, and publishes nothing.
 * @returns the run in the ledger; check its verdict
 * @throws CalltallyError with exit code 2 for an invalid option, 4 if the API refuses the token, 5 if it cannot be
 * reached, 6 if another sync of the warehouse is running, 7 for an error of its file, 8 for a response that is not
 * API v3
 * @throws the reason of `signal` if that aborts. Pages read before any error are kept
 * @see docs/completeness.md
 */
export async function syncWarehouse(options: SyncOptions): Promise<SyncRun> {
  const parsed = parseSyncOptions(options);
  const { database, baseUrl, token, orgUnitId, mode, signal, onProgress, settings: others = {} } = parsed;
  const values = {
    ...others,
    [SETTINGS.database.env]: database,
    [SETTINGS.baseUrl.env]: baseUrl,
    [SETTINGS.token.env]: token,
    ...(orgUnitId !== undefined && { [SETTINGS.orgUnitId.env]: orgUnitId }),
  };
  let theirs: unknown;
  const report = async (progress: SyncProgress) => {
    try {
      await onProgress?.(progress);
    } catch (error) {
      theirs = error;
      throw error;
    }
  };
  try {
    const settings = readLayers([{ origin: "environment", values }]);
    const asked = { ...toSyncOptions(settings), force: mode, signal };
    return toSyncRun(await runSync({ ...asked, onProgress: report }));
  } catch (error) {
    throw error === theirs || error === signal?.reason ? error : inOwnWords(error);
  }
}

const PUBLIC = [
  "verdict",
  "verdict_reason",
  "finished_at",
  "calls_read",
  "calls_new",
  "calls_changed",
  "calls_rejected",
  "calls_gone",
  "calls_withheld",
] as const satisfies (keyof SyncRun)[];

const hasEnded = (run: LedgerRun): run is LedgerRun & SyncRun => PUBLIC.every((name) => run[name] !== null);

/** Returns only the public columns; others may change between versions. */
function toSyncRun(run: LedgerRun): SyncRun {
  if (!hasEnded(run)) throw new Error(`Run ${run.run_id} has not ended`);
  const { run_id, mode, verdict, verdict_reason, started_at, finished_at } = run;
  const { calls_read, calls_new, calls_changed, calls_rejected, calls_gone, calls_withheld } = run;
  const ended = { run_id, mode, verdict, verdict_reason, started_at, finished_at };
  const counts = { calls_read, calls_new, calls_changed, calls_rejected, calls_gone, calls_withheld };
  return { ...ended, ...counts };
}
