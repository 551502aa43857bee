import { isPublishedAfterSync, publish } from "../cluster/publish.ts";
import type { Job } from "../schedule/job-definition.ts";
import { logAttribution, logNotice } from "../schedule/job-log.ts";
import { exitCodeOf, runSync } from "../sync/run.ts";
import { toSyncOptions } from "../sync/sync-options.ts";
import { readLastDoneRun } from "../warehouse/runs/runs.ts";

/** Reads the calls into the warehouse, and publishes them where the settings say so. */
export const syncJob: Job = {
  name: "sync",
  cron: (settings) => settings.syncCron,
  cronSetting: "CALLTALLY_SYNC_CRON",
  isSync: true,
  readLastDone: (warehouse) => readLastDoneRun(warehouse)?.finished_at ?? null,
  run: async ({ account, settings, log, signal, limitOf }) => {
    const run = await runSync({
      ...toSyncOptions(settings, limitOf),
      signal,
      onAttributed: logAttribution(log),
      onNotice: logNotice(log),
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
      elapsed_ms: tookMs,
    } = run;
    log.info(
      {
        run_id,
        verdict,
        calls_read,
        calls_new,
        calls_changed,
        calls_rejected,
        calls_withheld,
        elapsed_ms: tookMs,
      },
      "synced",
    );
    if (calls_other_unit) {
      log.warn(
        { run_id, calls_other_unit },
        "calls of another org_unit_id than the one asked for: the service may have ignored it",
      );
    }
    if (isPublishedAfterSync(settings)) {
      const { target, totals, sent, elapsed_ms } = await publish(settings, { account, signal });
      log.info({ run_id, target, ...totals, sent: sent.calls, elapsed_ms }, "published");
    }
    return exitCodeOf(run);
  },
};
