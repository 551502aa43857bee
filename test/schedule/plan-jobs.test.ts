import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { JOBS } from "../../jobs/all.ts";
import { loadSettings } from "../../src/config/load-settings.ts";
import { UsageError } from "../../src/errors.ts";
import { CRON_HINT } from "../../src/schedule/cron.ts";
import { planJobs } from "../../src/schedule/plan-jobs.ts";
import { openSnapshots } from "../../src/schedule/warehouse-snapshot.ts";
import { insertExports } from "../../src/warehouse/exports.ts";
import { openWarehouse, type Warehouse } from "../../src/warehouse/open.ts";
import { type RunChanges, startRun, updateRun } from "../../src/warehouse/runs.ts";
import { makeTempFolder } from "../temp-folder.ts";

// sync at 7 past every hour, export at 05:30, insights at 04:15; all UTC.
const NOW = "2026-11-20T15:30:00.000Z";

function insertRun(warehouse: Warehouse, changes: RunChanges): void {
  const runId = startRun(warehouse, { started_at: NOW, mode: "full", plan_reason: "", pid: 1 });
  updateRun(warehouse, runId, changes);
}

function insertExport(warehouse: Warehouse, exported_at: string, path: string): void {
  insertExports(warehouse, [{ exported_at, path, sha256: "", rows: 0, filter: "{}" }]);
}

function insertInsight({ sqlite }: Warehouse, id: number, fetchedAt: string): void {
  sqlite.prepare("INSERT INTO insights (insight_id, fetched_at) VALUES (?, ?)").run(id, fetchedAt);
}

/** The jobs that are behind, by a warehouse that `fill` has filled. */
function behind(
  fill: (warehouse: Warehouse, exportDir: string) => void,
  env: Record<string, string> = {},
): string[] {
  using folder = makeTempFolder();
  const database = join(folder.path, "calls.db");
  const exportDir = join(folder.path, "exports");
  {
    using warehouse = openWarehouse(database);
    fill(warehouse, exportDir);
  }
  const settings = loadSettings({
    env: { CALLTALLY_DATABASE: database, CALLTALLY_EXPORT_DIR: exportDir, ...env },
    folder: folder.path,
  });
  const planned = planJobs(JOBS, settings, openSnapshots(JOBS, settings)(), Date.parse(NOW));
  return planned.filter(({ isBehind }) => isBehind).map(({ name }) => name);
}

describe("planJobs", () => {
  it("has all that was never done at once, but what it has nothing to do for", () => {
    expect(behind(() => undefined)).toEqual(["sync", "export"]);
    expect(behind(() => undefined, { CALLTALLY_INSIGHT_IDS: "1" })).toEqual(["sync", "export", "insights"]);
    const settings = loadSettings({ env: { CALLTALLY_DATABASE: "/nowhere/calls.db" }, folder: "/nowhere" });
    expect(openSnapshots(JOBS, settings)()).toBeUndefined();
    expect(planJobs(JOBS, settings, undefined, 0)).toMatchObject([
      { name: "sync", isBehind: true, idle: undefined },
      { name: "export", isBehind: true },
      { name: "insights", isBehind: false, idle: "CALLTALLY_INSIGHT_IDS is empty" },
    ]);
  });

  it.each([
    {
      title: "done since the last slot",
      runs: [{ status: "done", finished_at: "2026-11-20T15:07:00.000Z" }],
      missed: false,
    },
    {
      title: "done before it",
      runs: [{ status: "done", finished_at: "2026-11-20T15:06:59.999Z" }],
      missed: true,
    },
    {
      title: "done long ago",
      runs: [{ status: "done", finished_at: "2025-11-20T15:07:00.000Z" }],
      missed: true,
    },
    {
      title: "failed since",
      runs: [
        { status: "done", finished_at: "2026-11-20T14:09:00.000Z" },
        { status: "failed", finished_at: "2026-11-20T15:09:00.000Z" },
      ],
      missed: true,
    },
    { title: "killed since", runs: [{ status: "running" }], missed: true },
    {
      title: "dated in the future",
      runs: [{ status: "done", finished_at: "2030-01-01T00:00:00.000Z" }],
      missed: false,
    },
  ] satisfies { title: string; runs: RunChanges[]; missed: boolean }[])(
    "takes the ledger's word for a sync $title: behind $missed",
    ({ runs, missed }) => {
      const names = behind((warehouse, exportDir) => {
        for (const run of runs) insertRun(warehouse, run);
        insertExport(warehouse, NOW, join(exportDir, "campaign.csv"));
      });
      expect(names).toEqual(missed ? ["sync"] : []);
    },
  );

  it("takes the files into the folder of the settings for an export, and no others", () => {
    const done = { status: "done", finished_at: NOW } as const;
    const names = (exportedAt: string, file: (exportDir: string) => string) =>
      behind((warehouse, exportDir) => {
        insertRun(warehouse, done);
        insertExport(warehouse, exportedAt, file(exportDir));
      });
    expect(names("2026-11-20T05:30:00.000Z", (folder) => join(folder, "campaign.csv"))).toEqual([]);
    expect(names("2026-11-20T05:29:59.000Z", (folder) => join(folder, "campaign.csv"))).toEqual(["export"]);
    expect(names(NOW, (folder) => join(`${folder}-of-another`, "campaign.csv"))).toEqual(["export"]);
  });

  it("takes the insight that was not fetched for longest", () => {
    const names = (ids: string) =>
      behind(
        (warehouse, exportDir) => {
          insertRun(warehouse, { status: "done", finished_at: NOW });
          insertExport(warehouse, NOW, join(exportDir, "campaign.csv"));
          insertInsight(warehouse, 1, NOW);
          insertInsight(warehouse, 2, "2026-11-19T16:00:00.000Z");
        },
        { CALLTALLY_INSIGHT_IDS: ids },
      );
    expect([names("1"), names("1,1"), names("1,2"), names("1,3")]).toEqual([
      [],
      [],
      ["insights"],
      ["insights"],
    ]);
  });

  it("names the setting that is no cron expression", () => {
    for (const [name, says] of [
      ["CALLTALLY_SYNC_CRON", "99 * * * *"],
      ["CALLTALLY_EXPORT_CRON", "often"],
      ["CALLTALLY_INSIGHTS_CRON", "0 0 31 2 *"],
    ] as const) {
      const settings = loadSettings({ env: { [name]: says }, folder: "/nowhere" });
      const plan = () => planJobs(JOBS, settings, undefined, 0);
      expect(plan).toThrow(UsageError);
      expect(plan).toThrow(`${name}: ${says} is not a cron expression: `);
      expect(plan).toThrow(expect.objectContaining({ hint: CRON_HINT }));
    }
  });
});

describe("openSnapshots", () => {
  it("reads beside a writer in mid-transaction", () => {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    const settings = loadSettings({ env: { CALLTALLY_DATABASE: database }, folder: folder.path });
    using warehouse = openWarehouse(database);
    insertRun(warehouse, { status: "done", verdict: "probable", finished_at: NOW });
    const read = openSnapshots(JOBS, settings);
    warehouse.sqlite.exec("BEGIN IMMEDIATE; UPDATE sync_runs SET verdict = 'unverified'");
    expect(read()).toMatchObject({ lastGoodRun: { verdict: "probable" }, calls: { live: 0, gone: 0 } });
    warehouse.sqlite.exec("COMMIT");
    expect(read()).toMatchObject({ lastDoneRun: { verdict: "unverified" }, lastGoodRun: undefined });
  });
});
