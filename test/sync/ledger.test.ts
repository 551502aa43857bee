import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startOrResume } from "../../src/sync/ledger.ts";
import type { Plan } from "../../src/sync/plan.ts";
import { syncWarehouse } from "../../src/sync/sync-warehouse.ts";
import { acquireLock } from "../../src/warehouse/file/acquire-lock.ts";
import { insertPage, readPages, type SyncPage } from "../../src/warehouse/runs/page-table.ts";
import { type RunChanges, readRuns, startRun, updateRun } from "../../src/warehouse/runs/runs.ts";
import { writeTransaction } from "../../src/warehouse/transaction.ts";
import type { Warehouse } from "../../src/warehouse/warehouse.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import { newWarehouse, storeCalls } from "../support/warehouses/warehouse.ts";
import { makeRun } from "./scene.ts";

const NOW = "2026-11-20T15:00:00.000Z";
const NOW_MS = Date.parse(NOW);
const HOUR_MS = 3_600_000;
const ago = (ms: number) => new Date(NOW_MS - ms).toISOString();
const FULL: Plan = { mode: "full", reason: "a test" };
const INCREMENTAL: Plan = { mode: "incremental", newestAt: "front", keys: [], reason: "another test" };

/** The first page of a run, with call 7 and a row whose id is unknown. */
const PAGE: Omit<SyncPage, "run_id"> = {
  seq: 0,
  offset: 0,
  row_count: 2,
  total: 30,
  call_ids: "[7,null]",
  order_members: JSON.stringify({ started: [NOW, null], name: [null, null], rejected: [1] }),
  request_id: "request 0",
  is_old: true,
  fetched_at: ago(HOUR_MS),
};

/** A ledger with one run that has a page or more, and call 7. */
function withRun(warehouse: Warehouse, changes: RunChanges, ...pages: Partial<SyncPage>[]): void {
  const { sqlite } = warehouse;
  sqlite.transaction(() => storeCalls(warehouse, [makeCall({ call_id: 7 })]))();
  startRun(warehouse, { started_at: ago(HOUR_MS), mode: "full", plan_reason: "before", pid: 1 });
  updateRun(warehouse, 1, { status: "running", ...changes });
  for (const [seq, page] of [{}, ...pages].entries())
    writeTransaction(warehouse, (tx) => insertPage(tx, { ...PAGE, run_id: 1, seq, ...page }));
}

describe("startOrResume", () => {
  it.each([
    { title: "failed", changes: { status: "failed", error: "x", not_before: NOW, finished_at: NOW } },
    { title: "was stopped", changes: { status: "interrupted", resumed: 4 } },
    { title: "was killed", changes: {} },
  ] satisfies { title: string; changes: RunChanges }[])(
    "resumes a full pass that $title, with all of its pages",
    ({ changes }) => {
      using warehouse = newWarehouse();
      withRun(
        warehouse,
        { ...changes, sort: "source_name asc" },
        { offset: 17, total: 31, request_id: "request 1", is_old: null, fetched_at: ago(0) },
      );
      const rows = [
        { id: 7, started: NOW, name: null },
        { id: null, started: null, name: null, isRejected: true },
      ];
      expect(startOrResume(warehouse, FULL, NOW_MS)).toEqual({
        runId: 1,
        sort: "source_name asc",
        earlier: [
          { offset: 0, total: 30, rows, requestId: "request 0", isOld: true },
          { offset: 17, total: 31, rows, requestId: "request 1", isOld: false },
        ],
      });
      expect(readRuns(warehouse, 2)).toMatchObject([
        {
          run_id: 1,
          status: "running",
          resumed: "resumed" in changes ? 5 : 1,
          error: null,
          not_before: null,
          finished_at: null,
          plan_reason: "a test",
          pid: process.pid,
        },
      ]);
      expect(readPages(warehouse, 1)[0]?.call_ids).toBe("[7,null]");
    },
  );

  const restarted: {
    title: string;
    changes?: RunChanges;
    first?: Partial<SyncPage>;
    second?: Partial<SyncPage>;
  }[] = [
    { title: "came to its end", changes: { status: "done", verdict: "unverified" } },
    { title: "was an incremental one", changes: { mode: "incremental" } },
    { title: "began more than an hour ago", first: { fetched_at: ago(HOUR_MS + 1) } },
    { title: "is of a later time than now", first: { fetched_at: ago(-60_001) } },
    { title: "does not begin at the front", first: { offset: 1 } },
    { title: "has a page put together from several responses", second: { request_id: null } },
    { title: "has lost the ids of a page", second: { call_ids: null } },
    { title: "has lost the members of a page", second: { order_members: null } },
    { title: "has a page of more rows than ids", second: { row_count: 3 } },
    { title: "names a missing call", second: { call_ids: "[8,null]" } },
  ];
  it.each(restarted)("starts again when the last pass $title", ({ changes = {}, first = {}, second }) => {
    using warehouse = newWarehouse();
    withRun(warehouse, { status: "failed", error: "as it was", ...changes }, ...(second ? [second] : []));
    const names = Object.entries(first);
    for (const [name, value] of names)
      warehouse.sqlite.prepare(`UPDATE sync_pages SET ${name} = ? WHERE seq = 0`).run(value);
    expect(startOrResume(warehouse, FULL, NOW_MS)).toEqual({ runId: 2, sort: "own", earlier: [] });
    expect(readRuns(warehouse, 2)).toMatchObject([
      {
        run_id: 2,
        status: "running",
        started_at: NOW,
        mode: "full",
        plan_reason: "a test",
        pid: process.pid,
      },
      { run_id: 1, error: "as it was" },
    ]);
    // Values that only that walk needed are not kept.
    expect(readPages(warehouse, 1).map(({ call_ids }) => call_ids)).not.toContainEqual(expect.any(String));
  });

  it("starts the first run of a warehouse, and resumes a killed run once it has a page", () => {
    using warehouse = newWarehouse();
    const { sqlite } = warehouse;
    expect(startOrResume(warehouse, FULL, NOW_MS)).toEqual({ runId: 1, sort: "own", earlier: [] });
    expect(startOrResume(warehouse, FULL, NOW_MS)).toEqual({ runId: 2, sort: "own", earlier: [] });
    sqlite.transaction(() => storeCalls(warehouse, [makeCall({ call_id: 7 })], { runId: 2 }))();
    writeTransaction(warehouse, (tx) => insertPage(tx, { ...PAGE, run_id: 2, fetched_at: NOW }));
    expect(startOrResume(warehouse, FULL, NOW_MS)).toMatchObject({ runId: 2, earlier: [{ offset: 0 }] });
  });

  it("resumes no run for an incremental read, and closes killed runs", () => {
    using warehouse = newWarehouse();
    withRun(warehouse, {});
    expect(startOrResume(warehouse, INCREMENTAL, NOW_MS)).toEqual({ runId: 2, sort: "own", earlier: [] });
    expect(readRuns(warehouse, 2)).toMatchObject([
      { run_id: 2, mode: "incremental", plan_reason: "another test" },
      { run_id: 1, status: "interrupted", error: "The process was killed" },
    ]);
  });

  it("counts a stored row that could not be parsed as existing, and starts in the order of the last verified pass", () => {
    using warehouse = newWarehouse();
    const { sqlite } = warehouse;
    withRun(warehouse, {}, { call_ids: "[8,null]" });
    sqlite.exec("INSERT INTO rejected_calls VALUES ('id:8', 8, '{}', '', '', 1, 1)");
    expect(startOrResume(warehouse, FULL, NOW_MS)).toMatchObject({ runId: 1, sort: "own" });
    updateRun(warehouse, 1, { status: "done", verdict: "exact", sort: "source_name asc" });
    expect(startOrResume(warehouse, FULL, NOW_MS)).toEqual({
      runId: 2,
      sort: "source_name asc",
      earlier: [],
    });
  });
});

describe("acquireLock", () => {
  const HINT = "Wait for it to end; the lock is released with the process, so there is nothing to clean up.";
  it.each([
    { status: "running", by: `by process 417 since ${NOW}` },
    { status: "done", by: "by another process that has just started" },
  ] as const)("names the holder of the lock when the last run is $status", ({ status, by }) => {
    using warehouse = newWarehouse();
    startRun(warehouse, { started_at: ago(HOUR_MS), mode: "full", plan_reason: "", pid: 1 });
    updateRun(warehouse, startRun(warehouse, { started_at: NOW, mode: "full", plan_reason: "", pid: 417 }), {
      status,
    });
    const { path } = warehouse;
    using _held = acquireLock(path);
    expect(() => acquireLock(path)).toThrow(
      expect.objectContaining({
        exitCode: 6,
        message: `Cannot sync into ${path}: it is being synced ${by}`,
        hint: HINT,
      }),
    );
  });

  it("locks a warehouse that does not exist yet", () => {
    using folder = makeTempFolder();
    const path = join(folder.path, "calls.db");
    using _held = acquireLock(path);
    expect(() => acquireLock(path)).toThrow(
      `Cannot sync into ${path}: it is being synced by another process that has just started`,
    );
  });
});

describe("syncWarehouse, before its first request", () => {
  const silent = async () => {
    throw new Error("Nothing was to be asked for");
  };

  it("waits until the time that the service requested", async () => {
    using warehouse = newWarehouse();
    withRun(warehouse, { status: "failed", not_before: NOW });
    const run = (nowMs: number, rules = {}) =>
      syncWarehouse(makeRun(warehouse, silent, new FakeClock(new Date(nowMs).toISOString()), rules));
    await expect(run(NOW_MS - 1)).rejects.toMatchObject({
      exitCode: 5,
      message: `The API asked for a pause until ${NOW}: no request was sent`,
      hint: "Run it again after that time, or use `calltally sync --now`.",
    });
    expect(readRuns(warehouse, 2)).toMatchObject([{ run_id: 1, not_before: NOW }]);
    await expect(run(NOW_MS)).rejects.toThrow("Nothing was to be asked for");
    updateRun(warehouse, 1, { not_before: NOW });
    await expect(run(NOW_MS - 1, { now: true })).rejects.toThrow("Nothing was to be asked for");
  });

  it("refuses an incremental sync if none is possible, and says why", async () => {
    using warehouse = newWarehouse();
    await expect(
      syncWarehouse(makeRun(warehouse, silent, new FakeClock(), { force: "incremental" })),
    ).rejects.toMatchObject({
      exitCode: 2,
      message: "Cannot read incrementally: no full pass has been verified yet",
      hint: "Run `calltally sync --full`.",
    });
    expect(readRuns(warehouse, 2)).toEqual([]);
  });

  it.each([
    { force: "full", hours: 0, mode: "full", reason: "requested" },
    { force: "incremental", hours: 1000, mode: "incremental", reason: "requested" },
    { force: undefined, hours: 24, mode: "full", reason: "the last verified full pass is older than 24 h" },
    { force: undefined, hours: 23, mode: "incremental", reason: "run 1 found the newest start first" },
  ] as const)("plans a pass $hours h after the last one with $force forced", async (given) => {
    using warehouse = newWarehouse();
    withRun(warehouse, {
      status: "done",
      verdict: "exact",
      finished_at: ago(given.hours * HOUR_MS),
      order_key: "call_started desc",
      sort: "own",
    });
    const run = makeRun(warehouse, silent, new FakeClock(NOW), {
      force: given.force,
      fileCheck: ago(5),
    });
    await expect(syncWarehouse(run)).rejects.toThrow("Nothing was to be asked for");
    expect(readRuns(warehouse, 1)).toMatchObject([
      {
        run_id: 2,
        status: "failed",
        mode: given.mode,
        plan_reason: given.reason,
        file_checked_at: ago(5),
        error: "Nothing was to be asked for",
        not_before: null,
        elapsed_ms: 0,
      },
    ]);
  });
});
