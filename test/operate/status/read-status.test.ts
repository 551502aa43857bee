import { expect, it } from "vitest";
import { loadSettings } from "../../../src/config/load-settings.ts";
import { loadNotices } from "../../../src/features/load-notices.ts";
import { findProblems } from "../../../src/operate/status/find-problems.ts";
import { readStatus } from "../../../src/operate/status/read-status.ts";
import { upsertPublication } from "../../../src/warehouse/publication-table.ts";
import { startRun, updateRun } from "../../../src/warehouse/runs/runs.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";
import { hasCapability } from "../../support/commands.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { storeNotice } from "../../support/warehouses/findings.ts";
import { newWarehouse } from "../../support/warehouses/warehouse.ts";

const notices = await loadNotices();
const NOW_MS = Date.parse("2026-11-20T20:10:00.000Z");
const hoursAgo = (hours: number) => new Date(NOW_MS - hours * 3_600_000).toISOString();

/** Each setting and each time of the account has a value of its own; its zone is west of UTC. */
const ENV = {
  CALLTALLY_TIMEZONE: "America/Chicago",
  CALLTALLY_SYNC_CRON: "20 * * * *",
  CALLTALLY_EXPORT_CRON: "0 6 * * *",
  CALLTALLY_FULL_EVERY_HOURS: "36",
};

function storeRunOf(warehouse: Warehouse, hours: number, changes: Parameters<typeof updateRun>[2]): number {
  const started = { started_at: hoursAgo(hours + 1), plan_reason: "a test", pid: 1 };
  const runId = startRun(warehouse, { ...started, mode: changes.mode ?? "full" });
  updateRun(warehouse, runId, { finished_at: hoursAgo(hours), ...changes });
  return runId;
}

function storeNoticeOf(warehouse: Warehouse, source: string, endedHoursAgo?: number): void {
  storeNotice(
    warehouse,
    { source },
    {
      ...{ dimension: "source", kind: "few", calls: 2, expected: 9.5, run_id: 1 },
      ...{ since: hoursAgo(400), judged_until: hoursAgo(399), noticed_at: hoursAgo(398) },
      ...(endedHoursAgo !== undefined && {
        ended_at: hoursAgo(endedHoursAgo),
        ...{ end_reason: "as before", end_noticed_at: hoursAgo(1) },
      }),
    },
  );
}

function readAt(warehouse: Warehouse & { folder: string }, env: Record<string, string> = {}) {
  const sources = { env: { CALLTALLY_DATABASE: warehouse.path, ...ENV, ...env }, folder: warehouse.folder };
  const reports = new Map([
    ["weekly", "0 8 * * 1"],
    ["by-hand", undefined],
  ]);
  return readStatus(loadSettings(sources), { runs: 2, nowMs: NOW_MS, notices, reports });
}

it("readStatus distinguishes the last runs, and shows the next times of each job in the account's zone", () => {
  using warehouse = newWarehouse([makeCall({ call_id: 1, call_started: hoursAgo(30) })]);
  const done = { status: "done", verdict_reason: "a test" } as const;
  const pass = storeRunOf(warehouse, 35, { ...done, mode: "full", verdict: "exact", order_key: null });
  const good = storeRunOf(warehouse, 20, { ...done, mode: "incremental", verdict: "probable" });
  const last = storeRunOf(warehouse, 10, { ...done, mode: "incremental", verdict: "unverified" });
  const failed = storeRunOf(warehouse, 5, { status: "failed", mode: "full", error: "The disk failed" });
  warehouse.sqlite
    .prepare("INSERT INTO jobs (job, started_at, succeeded_at) VALUES (?, ?, ?)")
    .run("sync", hoursAgo(2), hoursAgo(1));
  const status = readAt(warehouse);
  expect({
    runs: status.runs.map(({ run_id }) => run_id),
    pass: status.last_verified_pass?.run_id,
    good: status.last_good_run?.run_id,
    done: status.last_done_run?.run_id,
    calls: status.calls,
    newest: status.newest_call,
    synced: status.jobs.map(({ succeeded_at }) => succeeded_at),
    zone: status.timezone,
    next: status.next,
    reports: status.reports,
  }).toEqual({
    runs: [failed, last],
    pass,
    good,
    done: last,
    calls: { live: 1, gone: 0 },
    newest: hoursAgo(30),
    synced: [hoursAgo(20)],
    zone: "America/Chicago",
    next: expect.objectContaining({
      plan: "full",
      plan_reason: "the service does not list the calls in order of time",
      full_pass_due: null,
      not_before: null,
      sync: "2026-11-20T20:20:00.000Z",
      export: "2026-11-21T12:00:00.000Z",
    }),
    reports: [
      { report: "weekly", in_file: true, next: "2026-11-23T14:00:00.000Z", last_run: null, deliveries: [] },
      { report: "by-hand", in_file: true, next: null, last_run: null, deliveries: [] },
    ],
  });
  const late = readAt(warehouse, { CALLTALLY_FULL_EVERY_HOURS: "35" }).next;
  expect(late.plan_reason).toBe("the last verified full pass is older than 35 h");
});

it("readStatus shows when the next full pass is due", () => {
  using warehouse = newWarehouse();
  const ordered = { order_key: "call_started desc", sort: "own" } as const;
  storeRunOf(warehouse, 35, { status: "done", mode: "full", verdict: "verified", ...ordered });
  const { plan, full_pass_due } = readAt(warehouse).next;
  expect([plan, full_pass_due]).toEqual(["incremental", "2026-11-20T21:10:00.000Z"]);
});

it("readStatus shows notices of the last week, and publications to the cluster in the settings", () => {
  using warehouse = newWarehouse();
  storeRunOf(warehouse, 2, { status: "done", mode: "full", verdict: "exact" });
  const hasNotices = hasCapability("notices");
  if (hasNotices) {
    storeNoticeOf(warehouse, "open");
    storeNoticeOf(warehouse, "ended", 160);
    storeNoticeOf(warehouse, "over", 170);
  }
  for (const host of ["a.example", "b.example"])
    upsertPublication(warehouse, {
      ...{
        target: `clickhouse://${host}:8443/calls?cluster=calltally`,
        account: "main",
        attempted_at: hoursAgo(3),
      },
      error: `${host} is full`,
    });
  const all = readAt(warehouse);
  expect(all.notices.map(({ name }) => name)).toEqual(hasNotices ? ["open", "ended"] : []);
  const { failures, remarks } = findProblems(all);
  expect(failures).toEqual(["not published: a.example is full", "not published: b.example is full"]);
  const publish = { CALLTALLY_PUBLISH_TO: "clickhouse://b.example/calls", CALLTALLY_PUBLISH_USER: "anna" };
  expect(readAt(warehouse, publish).publications.map(({ error }) => error)).toEqual(["b.example is full"]);
  expect(remarks).toEqual(hasNotices ? ["source open: 2 calls since 3 Nov 2026 22:10, 9.5 expected"] : []);
});
