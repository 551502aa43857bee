import { EXIT } from "../../base/errors.ts";
import { toApiAccess } from "../../config/api-access.ts";
import { readOldestFetch } from "../../features/insights/insights.ts";
import { syncInsights } from "../../features/insights/sync-insights.ts";
import type { Job } from "../../schedule/job-definition.ts";
import { JOB } from "../../warehouse/runs/job-table.ts";

/** Keeps the insights named in CALLTALLY_INSIGHT_IDS up to date. */
export const insightsJob: Job = {
  name: JOB.insights,
  cron: (settings) => settings.insightsCron,
  cronSetting: "CALLTALLY_INSIGHTS_CRON",
  isSync: false,
  idle: ({ insightIds }) => (insightIds.length === 0 ? "no insight_ids are set" : undefined),
  readLastDone: (warehouse, { insightIds }) => readOldestFetch(warehouse, insightIds),
  run: async ({ settings, log, signal }) => {
    const { database, insightIds } = settings;
    if (insightIds.length === 0) {
      log.info("no insights to refresh: no insight_ids are set");
      return EXIT.done;
    }
    for await (const { insight_id, changes } of syncInsights(
      database,
      toApiAccess(settings),
      insightIds,
      signal,
    )) {
      log.info({ insight_id, changed: changes?.map(({ member }) => member) ?? "new" }, "insight refreshed");
    }
    return EXIT.done;
  },
};
