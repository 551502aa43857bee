import { EXIT } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { toApiAccess } from "../../config/api-access.ts";
import type { Settings } from "../../config/load-settings.ts";
import type { Reader } from "../../warehouse/warehouse.ts";
import { readOldestFetch } from "./insights.ts";
import { syncInsights } from "./sync-insights.ts";

export const INSIGHTS_JOB = "insights";

interface JobContext {
  settings: Settings;
  log: Log;
  signal: AbortSignal;
}

/** Keeps the insights named in CALLTALLY_INSIGHT_IDS up to date. */
export const insightsJob = {
  name: INSIGHTS_JOB,
  cron: ({ insightsCron }: Settings) => insightsCron,
  cronSetting: "CALLTALLY_INSIGHTS_CRON",
  isSync: false,
  idle: ({ insightIds }: Settings) => (insightIds.length === 0 ? "no insight_ids are set" : undefined),
  readLastDone: (warehouse: Reader, { insightIds }: Settings) => readOldestFetch(warehouse, insightIds),
  run: async ({ settings, log, signal }: JobContext) => {
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
