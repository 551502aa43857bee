import type { Job } from "../src/schedule/job-definition.ts";
import { logAttribution } from "../src/schedule/log-attribution.ts";
import { exitCodeOf, runSync } from "../src/sync/run.ts";
import { toSyncOptions } from "../src/sync/sync-options.ts";
import { readLastDoneRun } from "../src/warehouse/runs.ts";

/** Reads the calls into the warehouse. */
export const syncJob: Job = {
  name: "sync",
  cron: (settings) => settings.syncCron,
  cronSetting: "CALLTALLY_SYNC_CRON",
  isSync: true,
  readLastDone: (warehouse) => readLastDoneRun(warehouse)?.finished_at ?? null,
  run: async ({ settings, log, signal, limitOf }) => {
    const run = await runSync({
      ...toSyncOptions(settings, limitOf),
      signal,
      onAttributed: logAttribution(log),
      onPruned: (removed) => log.info({ removed }, "removed what is past its days"),
    });
    const {
      run_id,
      verdict,
      calls_read,
      calls_new,
      calls_changed,
      calls_rejected,
      calls_withheld,
      calls_other_unit,
      elapsed_ms,
    } = run;
    log.info(
      { run_id, verdict, calls_read, calls_new, calls_changed, calls_rejected, calls_withheld, elapsed_ms },
      "synced",
    );
    if (calls_other_unit) {
      log.warn(
        { run_id, calls_other_unit },
        "calls of another org_unit_id than the one asked for: the service may have ignored it",
      );
    }
    return exitCodeOf(run);
  },
};
