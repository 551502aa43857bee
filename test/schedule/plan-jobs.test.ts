import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/base/errors.ts";
import { loadSettings } from "../../src/config/load-settings.ts";
import { JOBS } from "../../src/operate/jobs/all.ts";
import { exportJob } from "../../src/operate/jobs/export.ts";
import { syncJob } from "../../src/operate/jobs/sync.ts";
import { CRON_HINT } from "../../src/schedule/cron.ts";
import type { Job } from "../../src/schedule/job-definition.ts";
import { listJobs, planJobs } from "../../src/schedule/plan-jobs.ts";
import { readSnapshot } from "../../src/schedule/warehouse-snapshot.ts";
import { keepingAll } from "../../src/warehouse/calls/call-guard.ts";
import { recordRejected } from "../../src/warehouse/calls/rejected.ts";

import { insertExports, settleExports } from "../../src/warehouse/runs/exports.ts";
import { insertJobStart, type JobRecord, updateJobEnd } from "../../src/warehouse/runs/job-table.ts";
import { type RunChanges, startRun, updateRun } from "../../src/warehouse/runs/runs.ts";
import { writeTransaction } from "../../src/warehouse/transaction.ts";
import type { Warehouse } from "../../src/warehouse/warehouse.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import { openNewWarehouse, storeCalls } from "../support/warehouses/warehouse.ts";
import { snapshotOf } from "./snapshot.ts";

// sync at 7 past every hour, export at 05:30; both UTC.
const NOW = "2026-11-20T15:30:00.000Z";

function insertRun(warehouse: Warehouse, changes: RunChanges): void {
  const runId = startRun(warehouse, { started_at: NOW, mode: "full", plan_reason: "", pid: 1 });
  updateRun(warehouse, runId, changes);
}

/** Records an export by the job. */
function insertExport(warehouse: Warehouse, finishedAt: string): void {
  const ended = { startedAt: finishedAt, finishedAt, exitCode: 0, result: "success", error: null } as const;
  writeTransaction(warehouse, (tx) => updateJobEnd(tx, { job: "export", ...ended }));
}

const RECORD: JobRecord = {
  job: "report",
  started_at: NOW,
  finished_at: null,
  exit_code: null,
  error: null,
  succeeded_at: null,
  failing_since: null,
  failed_runs: 0,
};

const job = (name: string, lastDone: string | null): Job => ({
  name,
  cron: () => "37 * * * *",
  cronSetting: "CALLTALLY_SYNC_CRON",
  isSync: false,
  readLastDone: () => lastDone,
  run: async () => 0,
});

/** The overdue jobs for a warehouse filled by `fill`. */
function behind(
  fill: (warehouse: Warehouse, exportDir: string) => void,
  env: Record<string, string> = {},
): string[] {
  using folder = makeTempFolder();
  const database = join(folder.path, "calls.db");
  const exportDir = join(folder.path, "exports");
  {
    using warehouse = openNewWarehouse(database);
    fill(warehouse, exportDir);
  }
  const settings = loadSettings({
    env: { CALLTALLY_DATABASE: database, CALLTALLY_EXPORT_DIR: exportDir, ...env },
    folder: folder.path,
  });
  const planned = planJobs(JOBS, settings, readSnapshot(JOBS, settings), Date.parse(NOW));
  return planned.filter(({ isBehind }) => isBehind).map(({ name }) => name);
}

describe("planJobs", () => {
  it("marks all jobs that never ran as overdue, except idle ones", () => {
    expect(behind(() => undefined)).toEqual(["sync", "export"]);
    const settings = loadSettings({ env: { CALLTALLY_DATABASE: "/nowhere/calls.db" }, folder: "/nowhere" });
    expect(readSnapshot(JOBS, settings)).toBeUndefined();
    const jobs = [syncJob, exportJob, { ...exportJob, name: "idle", idle: () => "nothing is set" }];
    expect(planJobs(jobs, settings, undefined, 0)).toMatchObject([
      { name: "sync", isBehind: true, idle: undefined },
      { name: "export", isBehind: true },
      { name: "idle", isBehind: false, idle: "nothing is set" },
    ]);
  });

  it("listJobs shows the times of each job in the account's zone, and those of idle jobs not", () => {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    {
      using warehouse = openNewWarehouse(database);
      insertRun(warehouse, { status: "done", finished_at: "2026-11-20T15:10:00.000Z" });
      insertExport(warehouse, "2026-11-19T20:00:00.000Z");
    }
    const env = { CALLTALLY_DATABASE: database, CALLTALLY_TIMEZONE: "America/Chicago" };
    const settings = loadSettings({ env, folder: folder.path });
    const idleJob = { ...job("idle", null), idle: () => "nothing is set" };
    expect(listJobs(settings, [syncJob, exportJob, idleJob], Date.parse(NOW))).toEqual([
      {
        ...{ job: "sync", cron: "7 * * * *", timezone: "America/Chicago", idle: null },
        ...{ last_done: "2026-11-20T15:10:00.000Z", is_behind: false },
        next: [16, 17, 18].map((hour) => `2026-11-20T${hour}:07:00.000Z`),
      },
      {
        ...{ job: "export", cron: "30 5 * * *", timezone: "America/Chicago", idle: null },
        ...{ last_done: "2026-11-19T20:00:00.000Z", is_behind: true },
        next: [21, 22, 23].map((day) => `2026-11-${day}T11:30:00.000Z`),
      },
      {
        ...{ job: "idle", cron: "37 * * * *", timezone: "America/Chicago", idle: "nothing is set" },
        ...{ last_done: null, is_behind: false, next: [] },
      },
    ]);
  });

  it.each<[title: string, missed: boolean, ...runs: RunChanges[]]>([
    ["done since the last slot", false, { status: "done", finished_at: "2026-11-20T15:07:00.000Z" }],
    ["done before it", true, { status: "done", finished_at: "2026-11-20T15:06:59.999Z" }],
    ["done long ago", true, { status: "done", finished_at: "2025-11-20T15:07:00.000Z" }],
    [
      "failed since",
      true,
      { status: "done", finished_at: "2026-11-20T14:09:00.000Z" },
      { status: "failed", finished_at: "2026-11-20T15:09:00.000Z" },
    ],
    ["killed since", true, { status: "running" }],
    ["dated in the future", true, { status: "done", finished_at: "2030-01-01T00:00:00.000Z" }],
  ])("decides by the ledger for a sync %s: overdue %s", (_title, missed, ...runs) => {
    const names = behind((warehouse) => {
      for (const run of runs) insertRun(warehouse, run);
      insertExport(warehouse, NOW);
    });
    expect(names).toEqual(missed ? ["sync"] : []);
  });

  it("decides by the last success of the job for an export, not by exports by hand", () => {
    const done = { status: "done", finished_at: NOW } as const;
    const names = (insert: (warehouse: Warehouse, exportDir: string) => void) =>
      behind((warehouse, exportDir) => {
        insertRun(warehouse, done);
        insert(warehouse, exportDir);
      });
    expect(names((warehouse) => insertExport(warehouse, "2026-11-20T05:30:00.000Z"))).toEqual([]);
    expect(names((warehouse) => insertExport(warehouse, "2026-11-20T05:29:59.000Z"))).toEqual(["export"]);
    const exportByHand = (warehouse: Warehouse, exportDir: string) => {
      const path = join(exportDir, "utm_source.csv");
      settleExports(
        warehouse,
        insertExports(warehouse, [{ path, sha256: "", rows: 0, filter: "{}", manifest_sha256: "" }]),
        NOW,
      );
    };
    expect(names(exportByHand)).toEqual(["export"]);
  });

  it.each([
    // A job that waits for its first slot and never began is not overdue.
    { waitsForFirstSlot: true, begun: false, lastDone: null, isBehind: false },
    { waitsForFirstSlot: true, begun: true, lastDone: null, isBehind: true },
    { waitsForFirstSlot: false, begun: false, lastDone: null, isBehind: true },
    { waitsForFirstSlot: true, begun: false, lastDone: "2026-11-20T15:06:59.999Z", isBehind: true },
    { waitsForFirstSlot: true, begun: true, lastDone: "2026-11-20T15:07:00.000Z", isBehind: false },
    { waitsForFirstSlot: false, begun: false, lastDone: "2026-11-20T15:07:00.000Z", isBehind: false },
    { waitsForFirstSlot: false, begun: false, lastDone: null, idle: "off", isBehind: false },
    {
      waitsForFirstSlot: false,
      begun: true,
      idle: "off",
      isBehind: false,
      lastDone: "2026-11-20T15:06:59.999Z",
    },
  ])("plans done $lastDone, begun $begun, waits $waitsForFirstSlot, idle $idle: overdue $isBehind", (of) => {
    const { waitsForFirstSlot, begun, lastDone, idle, isBehind } = of;
    const settings = loadSettings({ env: { CALLTALLY_TIMEZONE: "Asia/Kolkata" }, folder: "/nowhere" });
    const planned: Job = { ...job("report", lastDone), waitsForFirstSlot, idle: () => idle };
    const record: JobRecord = { ...RECORD, job: begun ? "report" : "another" };
    const lastDones = new Map([["report", lastDone]]);
    const snapshot = snapshotOf({ lastDone: lastDones, jobs: new Map([[record.job, record]]) });
    // 37 past the hour there is 7 past in UTC: the configured zone applies.
    const nowMs = Date.parse("2026-11-20T15:07:00.000Z");
    expect(planJobs([planned], settings, snapshot, nowMs)).toEqual([
      {
        job: planned,
        name: "report",
        cron: { expression: "37 * * * *", timezone: "Asia/Kolkata", next: expect.any(Function) },
        idle,
        lastDoneMs: lastDone === null ? undefined : Date.parse(lastDone),
        isBehind,
        judgedMs: nowMs,
      },
    ]);
  });

  it.each([
    // What only a person can mend: settings, the token, the warehouse or its disk.
    { exit: 2, isBehind: true },
    { exit: 4, isBehind: true },
    { exit: 7, isBehind: true },
    { exit: 5, isBehind: false },
    { exit: 9, isBehind: false },
    { exit: 4, failing: null, isBehind: false },
  ])("after exit $exit, since a slot that was done, a job runs at the start: $isBehind", (row) => {
    const { exit, failing = NOW, isBehind } = row;
    const settings = loadSettings({ env: {}, folder: "/nowhere" });
    const record = { ...RECORD, exit_code: exit, failing_since: failing };
    const lastDone = new Map([["report", NOW]]);
    const snapshot = snapshotOf({ lastDone, jobs: new Map([["report", record]]) });
    const [planned] = planJobs([job("report", NOW)], settings, snapshot, Date.parse(NOW));
    expect(planned?.isBehind).toBe(isBehind);
  });

  it("lets a job wait for its first slot if there is no warehouse yet", () => {
    const settings = loadSettings({ env: {}, folder: "/nowhere" });
    const waiting = { ...job("report", null), waitsForFirstSlot: true };
    const planned = planJobs([waiting, job("export", null)], settings, undefined, 0);
    expect(planned.map(({ isBehind }) => isBehind)).toEqual([false, true]);
  });

  it("names the setting with an invalid cron expression", () => {
    for (const [name, says] of [
      ["CALLTALLY_SYNC_CRON", "99 * * * *"],
      ["CALLTALLY_EXPORT_CRON", "often"],
      ["CALLTALLY_EXPORT_CRON", "0 0 31 2 *"],
    ] as const) {
      const settings = loadSettings({ env: { [name]: says }, folder: "/nowhere" });
      const plan = () => planJobs(JOBS, settings, undefined, 0);
      expect(plan).toThrow(UsageError);
      expect(plan).toThrow(`${name}: ${says} is not a cron expression: `);
      expect(plan).toThrow(expect.objectContaining({ hint: CRON_HINT }));
    }
  });
});

describe("readSnapshot", () => {
  it("reports runs, jobs, calls and rows, and waits half a second for a process that repairs the file", () => {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    const env = { CALLTALLY_DATABASE: database, CALLTALLY_TIMEZONE: "Europe/Berlin" };
    const settings = loadSettings({ env, folder: folder.path });
    const jobs: Job[] = [
      { ...job("sync", NOW), isUnfinished: ({ sqlite }) => sqlite.readonly },
      { ...job("export", null), isUnfinished: () => false },
      {
        ...job("insights", null),
        readLastDone: ({ sqlite }, { timezone }) =>
          `${sqlite.pragma("busy_timeout", { simple: true })} ${timezone}`,
      },
    ];
    {
      using warehouse = openNewWarehouse(database);
      insertRun(warehouse, { status: "done", verdict: "verified", finished_at: NOW });
      insertRun(warehouse, { status: "done", verdict: "unverified", finished_at: NOW });
      insertRun(warehouse, { status: "failed", finished_at: NOW });
      const calls = [1, 2, 3].map((call_id) => makeCall({ call_id }));
      writeTransaction(warehouse, () => {
        storeCalls(warehouse, calls);
        const row = { json: "{}", path: "a", reason: "no" };
        recordRejected(
          warehouse,
          [1, 2].map((call_id) => ({ ...row, call_id })),
          1,
          keepingAll(warehouse),
        );
        insertJobStart(warehouse, "sync", NOW);
        insertJobStart(warehouse, "export", NOW);
      });
      warehouse.sqlite.exec(`UPDATE calls SET missing_since = 'x', gone_at = 'x' WHERE call_id = 2;
        INSERT INTO schema_drift (path, kind, json_type, first_run_id, first_seen_at) VALUES ('a', 'unknown', 'string', 1, '')`);
    }
    const read = () => readSnapshot(jobs, settings);
    expect(read()).toEqual({
      lastDoneRun: expect.objectContaining({ run_id: 2 }),
      lastGoodRun: expect.objectContaining({ run_id: 1 }),
      lastDone: new Map([
        ["sync", NOW],
        ["export", null],
        ["insights", "500 Europe/Berlin"],
      ]),
      unfinished: new Set(["sync"]),
      jobs: new Map(["export", "sync"].map((name) => [name, { ...RECORD, job: name, started_at: NOW }])),
      calls: { live: 2, gone: 1 },
      statements: [
        expect.objectContaining({ id: "unverified" }),
        expect.objectContaining({ id: "rejected_rows" }),
      ],
      rejectedRows: 2,
      notices: [],
      driftedMembers: 1,
    });
    rmSync(database);
    expect(read()).toBeUndefined();
  });

  it("reads the warehouse during another process's transaction", () => {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    const settings = loadSettings({ env: { CALLTALLY_DATABASE: database }, folder: folder.path });
    using warehouse = openNewWarehouse(database);
    insertRun(warehouse, { status: "done", verdict: "probable", finished_at: NOW });
    const read = () => readSnapshot(JOBS, settings);
    warehouse.sqlite.exec("BEGIN IMMEDIATE; UPDATE sync_runs SET verdict = 'unverified'");
    expect(read()).toMatchObject({ lastGoodRun: { verdict: "probable" }, calls: { live: 0, gone: 0 } });
    warehouse.sqlite.exec("COMMIT");
    expect(read()).toMatchObject({ lastDoneRun: { verdict: "unverified" }, lastGoodRun: undefined });
  });
});
