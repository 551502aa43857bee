import { describe, expect, it } from "vitest";
import { loadSettings } from "../../../src/config/load-settings.ts";
import { loadNotices } from "../../../src/features/load-notices.ts";
import {
  findFailedSync,
  findLate,
  findProblems,
  trustIn,
} from "../../../src/operate/status/find-problems.ts";
import { readStatus } from "../../../src/operate/status/read-status.ts";
import type { Delivery, DeliveryStatus } from "../../../src/reports/delivery/delivery-table.ts";
import type { ReportRun } from "../../../src/reports/delivery/report-run-table.ts";
import { acquireLock } from "../../../src/warehouse/file/acquire-lock.ts";
import { startRun } from "../../../src/warehouse/runs/runs.ts";
import { newWarehouse, storeRun } from "../../support/warehouses/warehouse.ts";

const STARTED_AT = "2026-11-20T11:00:00.000Z";

const REPORT_RUN: ReportRun = {
  ...{ report_run_id: 3, report: "weekly", account: "austin", scheduled_for: null, started_at: STARTED_AT },
  ...{
    finished_at: STARTED_AT,
    status: "done",
    verdict: null,
    range_from: null,
    range_to: null,
    is_stale: false,
  },
  ...{ news_until: null, folder: "/out", files: null, error: null, process: "1" },
};
const DELIVERY: Delivery = {
  ...{ delivery_id: 5, report_run_id: 3, channel: "email", recipient: "", status: "failed", attempts: 2 },
  ...{ last_error: null, started_at: null, finished_at: null, message_id: null, process: null },
};
const notices = await loadNotices();

describe("findProblems", () => {
  it("finds no problem in a running sync, and one in a killed sync", () => {
    using warehouse = newWarehouse();
    const problems = () => {
      const settings = loadSettings({
        env: { CALLTALLY_DATABASE: warehouse.path },
        folder: warehouse.folder,
      });
      return findProblems(readStatus(settings, { runs: 1, nowMs: Date.parse(STARTED_AT), notices }));
    };
    const start = () =>
      startRun(warehouse, { started_at: STARTED_AT, mode: "full", plan_reason: "a test", pid: 1 });
    {
      using _held = acquireLock(warehouse.path);
      start();
      expect(problems()).toEqual({
        failures: ["No sync has finished yet: only the calls read so far are here."],
        remarks: [],
      });
      storeRun(warehouse, [], { startedAt: STARTED_AT, finishedAt: STARTED_AT });
      start();
      expect(problems()).toEqual({ failures: [], remarks: [] });
    }
    expect(problems()).toEqual({ failures: ["The process was killed"], remarks: [] });
  });

  it("names a full disk, which no job can record", () => {
    using warehouse = newWarehouse();
    const settings = loadSettings({ env: { CALLTALLY_DATABASE: warehouse.path }, folder: warehouse.folder });
    const status = readStatus(settings, { runs: 1, nowMs: Date.parse(STARTED_AT), notices });
    expect(status.disk_problem).toBeNull();
    expect(findProblems({ ...status, disk_problem: "12 kB free" }).failures).toContain(
      "the disk is nearly full: 12 kB free",
    );
    const { statements } = status;
    expect(trustIn({ statements: [], disk_problem: null })).toBe("yes");
    expect(trustIn({ statements: [], disk_problem: "12 kB free" })).toBe("at risk");
    expect(trustIn({ statements, disk_problem: "12 kB free" })).toBe("in doubt");
  });

  it("names each failure once: of the account, its jobs, its reports and its deliveries", () => {
    using warehouse = newWarehouse();
    storeRun(warehouse, [], { startedAt: STARTED_AT, finishedAt: STARTED_AT });
    const settings = loadSettings({ env: { CALLTALLY_DATABASE: warehouse.path }, folder: warehouse.folder });
    const status = readStatus(settings, { runs: 1, nowMs: Date.parse(STARTED_AT), notices });
    const run = status.runs.map((each) => ({ ...each, status: "failed", error: "sync broke" }) as const);
    const job = (name: string, error: string | null, failing_since: string | null = STARTED_AT) => ({
      ...{ job: name, started_at: STARTED_AT, finished_at: STARTED_AT, succeeded_at: null, failed_runs: 2 },
      ...{ exit_code: 4, error, failing_since },
    });
    const report = (name: string, error: string, in_file = true) => ({
      ...{ report: name, in_file, next: null, deliveries: [] },
      last_run: { ...REPORT_RUN, report: name, status: "failed", error } as const,
    });
    const delivery = (recipient: string, status: DeliveryStatus, last_error: string | null) => ({
      ...DELIVERY,
      ...{ recipient, status, last_error },
    });
    const sent = {
      ...report("sent", "an old error"),
      last_run: { ...REPORT_RUN, report: "sent", status: "done", error: "an old error" } as const,
      deliveries: [
        delivery("anna@example.com", "failed", "no such user"),
        delivery("bert@example.com", "delivered", null),
        delivery("carl@example.com", "pending", null),
      ],
    };
    const failing = {
      ...status,
      origin_problem: "it is that of Dallas",
      runs: run,
      jobs: [
        job("export", "export broke"),
        job("insights", null),
        job("sync", "an earlier error", null),
        job("report:weekly", "weekly broke"),
        job("report:left", "left broke"),
      ],
      reports: [
        report("weekly", "weekly broke"),
        report("left", "left, too", false),
        report("daily", "daily broke"),
        sent,
      ],
      drift: [],
    };
    expect(findProblems(failing)).toEqual({
      failures: [
        "another account's warehouse: it is that of Dallas",
        "sync broke",
        "export: export broke",
        "insights: it ended with exit code 4",
        "report:weekly: weekly broke",
        "daily: daily broke",
        "sent: email to anna@example.com: failed: no such user",
        "sent: email to carl@example.com: pending",
      ],
      remarks: [],
    });
    const known = { ...failing, jobs: [job("sync", "sync broke")], reports: [], origin_problem: null };
    expect(findProblems(known).failures).toEqual(["sync: sync broke"]);
    const drift = ["a", "b"].map((path) => ({
      ...({
        path,
        kind: "unknown",
        json_type: "number",
        first_run_id: 1,
        first_seen_at: STARTED_AT,
      } as const),
    }));
    expect(findProblems({ ...status, drift })).toEqual({
      failures: [],
      remarks: ["2 members not as documented"],
    });
  });
});

describe("findLate", () => {
  it("allows the age itself, and neither none nor a date in the future", () => {
    const nowMs = Date.parse(STARTED_AT);
    const age = { ms: 3_600_000, text: "1 h" };
    const late = (last_good_run: { finished_at: string } | null) => {
      using warehouse = newWarehouse();
      const settings = loadSettings({
        env: { CALLTALLY_DATABASE: warehouse.path },
        folder: warehouse.folder,
      });
      storeRun(warehouse, [], { startedAt: STARTED_AT, finishedAt: STARTED_AT });
      const status = readStatus(settings, { runs: 1, nowMs, notices });
      const run = status.last_good_run && last_good_run && { ...status.last_good_run, ...last_good_run };
      return findLate({ ...status, last_good_run: run }, age, nowMs);
    };
    expect(late({ finished_at: "2026-11-20T10:00:00.000Z" })).toBeUndefined();
    expect(late({ finished_at: "2026-11-20T09:59:59.999Z" })).toBe("The last good run is older than 1 h");
    expect(late(null)).toBe("There has been no good run");
    expect(late({ finished_at: "2026-11-21T11:00:00.000Z" })).toBe(
      "The last good run is dated in the future: 2026-11-21T11:00:00.000Z",
    );
  });
});

describe("findFailedSync", () => {
  const at = (finished_at: string, failing_since: string | null = finished_at) => ({
    job: "sync",
    started_at: STARTED_AT,
    finished_at,
    exit_code: 7,
    error: "x",
    succeeded_at: null,
    failing_since,
    failed_runs: 1,
  });

  it("finds a sync by the schedule that failed after the last run", () => {
    using warehouse = newWarehouse();
    storeRun(warehouse, [], { startedAt: STARTED_AT, finishedAt: STARTED_AT });
    const settings = loadSettings({ env: { CALLTALLY_DATABASE: warehouse.path }, folder: warehouse.folder });
    const { runs } = readStatus(settings, { runs: 1, nowMs: Date.parse(STARTED_AT), notices });
    const later = at("2026-11-20T11:30:00.000Z");
    expect(findFailedSync({ runs, jobs: [later] })).toBe(later);
    expect(findFailedSync({ runs: [], jobs: [later] })).toBe(later);
    expect(findFailedSync({ runs, jobs: [at("2026-11-20T10:30:00.000Z")] })).toBeUndefined();
    expect(findFailedSync({ runs, jobs: [at("2026-11-20T11:30:00.000Z", null)] })).toBeUndefined();
    expect(findFailedSync({ runs, jobs: [{ ...later, job: "export" }] })).toBeUndefined();
  });
});
