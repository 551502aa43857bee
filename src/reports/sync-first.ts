import { systemClock } from "../base/clock.ts";
import { CalltallyError, describeError, EXIT } from "../base/errors.ts";
import { toCalltallyError } from "../base/known-error.ts";
import type { JobContext } from "../schedule/job-definition.ts";
import { logAttribution, logNotice } from "../schedule/job-log.ts";
import { runSync } from "../sync/run.ts";
import { toSyncOptions } from "../sync/sync-options.ts";
import { openExistingWarehouse } from "../warehouse/file/open.ts";
import { readLastGoodRun } from "../warehouse/runs/runs.ts";
import type { NamedReport } from "./report.ts";
import { isCopyProven, isStale } from "./requirements.ts";

const LONGEST_WAIT_MS = 20 * 60_000;
const POLL_MS = 2000;

/** Syncs if the calls are older, or less proven, than a report requires; waits for a running sync. */
export async function syncFirst(report: NamedReport, context: JobContext) {
  const { settings, log, signal, limitOf, clock = systemClock } = context;
  const { fresh, require } = report.content;
  const untilMs = clock.now() + LONGEST_WAIT_MS;
  const isOld = () => {
    if (fresh === undefined && require === undefined) return false;
    using warehouse = openExistingWarehouse(settings.database);
    const lastGoodSync = readLastGoodRun(warehouse)?.finished_at;
    return !isCopyProven(warehouse, report) || isStale(lastGoodSync, report, clock.now());
  };
  for (let isWaiting = false; isOld() && clock.now() < untilMs; isWaiting = true) {
    try {
      await runSync({
        ...toSyncOptions(settings, limitOf),
        begins: false,
        force: require === undefined ? undefined : "full",
        signal,
        clock,
        onAttributed: logAttribution(log),
        onNotice: logNotice(log),
      });
      return;
    } catch (error) {
      if (signal.aborted) throw error;
      const isBusy = error instanceof CalltallyError && error.exitCode === EXIT.locked;
      if (!isBusy) {
        log.warn(`the sync before the report failed: ${describeError(toCalltallyError(error))}`);
        return;
      }
      if (!isWaiting) log.info("another process syncs this warehouse: waiting for it");
      await clock.sleep(POLL_MS, signal);
    }
  }
}
