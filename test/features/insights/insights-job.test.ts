import { expect, it } from "vitest";
import { loadSettings } from "../../../src/config/load-settings.ts";
import { insightsJob } from "../../../src/features/insights/insights-job.ts";
import { loadNotices } from "../../../src/features/load-notices.ts";
import { readStatus } from "../../../src/operate/status/read-status.ts";
import { planJobs } from "../../../src/schedule/plan-jobs.ts";
import { readSnapshot } from "../../../src/schedule/warehouse-snapshot.ts";
import { newWarehouse } from "../../support/warehouses/warehouse.ts";

const notices = await loadNotices();
const NOW_MS = Date.parse("2026-11-20T15:30:00.000Z");

/** A warehouse with two insights, and its settings with these ids. */
function makeInsights() {
  const warehouse = newWarehouse();
  const insert = warehouse.sqlite.prepare("INSERT INTO insights (insight_id, fetched_at) VALUES (?, ?)");
  insert.run(1, "2026-11-20T15:30:00.000Z");
  insert.run(2, "2026-11-19T16:00:00.000Z");
  const settingsOf = (ids: string) =>
    loadSettings({
      env: {
        CALLTALLY_DATABASE: warehouse.path,
        CALLTALLY_INSIGHT_IDS: ids,
        CALLTALLY_INSIGHTS_CRON: "0 7 * * *",
        CALLTALLY_TIMEZONE: "America/Chicago",
      },
      folder: warehouse.folder,
    });
  return { settingsOf, [Symbol.dispose]: () => warehouse[Symbol.dispose]() };
}

it("insightsJob is overdue by the insight that was fetched least recently", () => {
  using insights = makeInsights();
  const isBehind = (ids: string) => {
    const settings = insights.settingsOf(ids);
    const snapshot = readSnapshot([insightsJob], settings);
    return planJobs([insightsJob], settings, snapshot, NOW_MS).map((planned) => planned.isBehind);
  };
  expect(["1", "1,1", "1,2", "1,3"].map(isBehind)).toEqual([[false], [false], [true], [true]]);
});

it("readStatus shows the next slot of insights in the account's zone, and null without ids", () => {
  using insights = makeInsights();
  const nextOf = (ids: string) =>
    readStatus(insights.settingsOf(ids), { runs: 2, nowMs: NOW_MS, notices }).next.insights;
  expect([nextOf("1"), nextOf("")]).toEqual(["2026-11-21T13:00:00.000Z", null]);
});
