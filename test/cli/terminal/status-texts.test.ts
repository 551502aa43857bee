import { describe, expect, it } from "vitest";
import { describeAccounts } from "../../../src/cli/terminal/account-table.ts";
import { describeStatus } from "../../../src/cli/terminal/status-screen.ts";
import { loadSettings } from "../../../src/config/load-settings.ts";
import { loadNotices } from "../../../src/features/load-notices.ts";
import { readStatus } from "../../../src/operate/status/read-status.ts";
import { startRun, updateRun } from "../../../src/warehouse/runs/runs.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { newWarehouse } from "../../support/warehouses/warehouse.ts";

const notices = await loadNotices();
const NOW_MS = Date.parse("2026-11-20T20:10:00.000Z");
const minutesAgo = (minutes: number) => new Date(NOW_MS - minutes * 60_000).toISOString();

/** The status of two runs in a zone west of UTC; no two times, numbers and verdicts are equal. */
function statusOf() {
  const calls = [2, 3, 4].map((id) => makeCall({ call_id: id, call_started: minutesAgo(100 * 60 + id) }));
  using warehouse = newWarehouse(calls);
  warehouse.sqlite.exec("DELETE FROM sync_runs");
  const runs = [
    [50, { mode: "full", verdict: "verified", counts: [41, 12, 5, 6] }],
    [20, { mode: "incremental", verdict: "probable", counts: [17, 4, 9, 2] }],
  ] as const;
  for (const [hours, { mode, verdict, counts }] of runs) {
    const [calls_read, calls_new, calls_changed, calls_rejected] = counts;
    const startedAt = minutesAgo(60 * hours);
    const start = { started_at: startedAt, plan_reason: `it is ${mode}`, pid: 1, mode };
    const elapsed_ms = hours * 1000;
    const finished_at = new Date(Date.parse(startedAt) + elapsed_ms).toISOString();
    updateRun(warehouse, startRun(warehouse, start), {
      ...{ finished_at, elapsed_ms, status: "done", verdict },
      ...{ calls_read, calls_new, calls_changed, calls_rejected },
    });
  }
  const env = { CALLTALLY_DATABASE: warehouse.path, CALLTALLY_TIMEZONE: "America/Chicago" };
  const settings = loadSettings({ env, folder: warehouse.folder });
  return readStatus(settings, { runs: 9, nowMs: NOW_MS, notices });
}

describe("describeStatus", () => {
  it("shows times in the zone of the account, and each number of a run in its column", () => {
    const status = { ...statusOf(), warehouse: "/data/calls.db", disk_problem: null };
    expect(describeStatus(status, NOW_MS).split("\n")).toEqual([
      "Working    yes: run 2 was probable, 19 hours ago",
      "Fresh      last good run 19 hours ago; newest call 2026-11-16 10:08",
      "Complete   run 1 read every call, 2 days ago; counts agree since",
      "Calls      3",
      "Rejected   nothing",
      "Drift      none: all members are as documented",
      "Next       a full pass: the last verified full pass is older than 24 h",
      "           if scheduled: sync 2026-11-20 15:07, export 2026-11-21 05:30",
      "Warehouse  /data/calls.db",
      "           a copy of an unknown service",
      "Times of   America/Chicago",
      "",
      "run           started    took  read  new  changed  rejected     ended",
      "2    2026-11-19 18:10  20.0 s    17    4        9         2  probable",
      "1    2026-11-18 12:10  50.0 s    41   12        5         6  verified",
    ]);
  });
});

describe("describeAccounts", () => {
  const status = statusOf();

  it.each([
    [0, "0 min"],
    [119, "119 min"],
    [120, "2 h"],
    [179, "2 h"],
    [47 * 60 + 59, "47 h"],
    [48 * 60, "2 d"],
    [71 * 60 + 59, "2 d"],
    [72 * 60, "3 d"],
    [-60 * 24, "future"],
  ])("shows the age of a good run of %i minutes ago as %s", (minutes, age) => {
    const { last_good_run } = status;
    const aged = {
      ...status,
      last_good_run: last_good_run && { ...last_good_run, finished_at: minutesAgo(minutes) },
    };
    const table = describeAccounts([{ name: "north", status: aged, problems: [] }], {
      count: 7,
      nowMs: NOW_MS,
    });
    const [head, row, , summary] = table.split("\n").map((line) => line.split(/ {2,}/));
    expect(head).toEqual(["account", "working", "verdict", "fresh", "calls", "jobs", "problems"]);
    expect(row).toEqual(["north", "yes", "probable", age, "3"]);
    expect(summary).toEqual(["7 accounts, none with a problem"]);
  });
});
