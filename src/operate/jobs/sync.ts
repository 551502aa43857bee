import { pick } from "../../base/records.ts";
import { FEATURES } from "../../features/list.ts";
import type { Job } from "../../schedule/job-definition.ts";
import { logAttribution, logNotice } from "../../schedule/job-log.ts";
import { exitCodeOf, runSync } from "../../sync/run.ts";
import { toSyncOptions } from "../../sync/sync-options.ts";
import { JOB } from "../../warehouse/runs/job-table.ts";
import { readLastDoneRun } from "../../warehouse/runs/runs.ts";

const LOGGED = [
  ...(["run_id", "verdict", "calls_read", "calls_new", "calls_changed"] as const),
  ...(["calls_rejected", "calls_withheld", "elapsed_ms"] as const),
];

/** Reads the calls into the warehouse; then features follow, such as publishing. */
export const syncJob: Job = {
  name: JOB.sync,
  cron: (settings) => settings.syncCron,
  cronSetting: "CALLTALLY_SYNC_CRON",
  isSync: true,
  readLastDone: (warehouse) => readLastDoneRun(warehouse)?.finished_at ?? null,
  run: async ({ account, settings, log, signal, limitOf }) => {
    const run = await runSync({
      ...toSyncOptions(settings, limitOf),
      begins: false,
      isJob: true,
      signal,
      onAttributed: logAttribution(log),
      onNotice: logNotice(log),
      onPruned: (removed) => log.info({ removed }, "removed what is past its days"),
    });
    const { run_id, calls_other_unit } = run;
    log.info(pick(run, LOGGED), "synced");
    if (calls_other_unit) {
      log.warn(
        { run_id, calls_other_unit },
        "calls of another org_unit_id than the one asked for: the service may have ignored it",
      );
    }
    for (const { followSync } of FEATURES) {
      const followUp = await followSync?.run({ account, settings, signal });
      if (followUp !== undefined) log.info({ run_id, ...followUp.logged }, followSync?.done);
    }
    return exitCodeOf(run);
  },
};
