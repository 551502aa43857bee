import { describe, expect, it } from "vitest";
import { Bell } from "../../src/schedule/doorbell/bell.ts";
import type { JobHealth } from "../../src/schedule/health.ts";
import { emptyStatistics } from "../../src/schedule/job-state.ts";
import {
  formatMetrics,
  toBellMetrics,
  toMetrics,
  toRefusalMetrics,
} from "../../src/schedule/schedule-metrics.ts";
import type { SyncRun } from "../../src/warehouse/runs/runs.ts";
import { parsePrometheus } from "./prometheus.ts";
import { snapshotOf } from "./snapshot.ts";

const SUCCESS = "2026-11-20T12:08:00.500Z";
const health: JobHealth[] = [
  { job: "sync", status: "ok", last_success: SUCCESS, last_exit_code: 0, last_error: null },
  { job: "export", status: "failing", last_success: null, last_exit_code: null, last_error: null },
];
const statistics = [
  {
    ...emptyStatistics("sync", 0),
    runs: new Map(Object.entries({ "0": 3, SIGKILL: 1 })),
    isRunning: true,
    lastMs: 61_500,
    nextMs: 1_790_000_020_250,
  },
  emptyStatistics("export", 0),
];
const run: Pick<SyncRun, "elapsed_ms" | "verdict" | "calls_withheld"> = {
  elapsed_ms: 4750,
  verdict: "probable",
  calls_withheld: 12,
};
const snapshot = snapshotOf({
  lastDoneRun: run as SyncRun,
  calls: { live: 5000, gone: 7 },
  statements: [{ id: "first_load", level: "doubt", values: {} }],
  rejectedRows: 4,
  notices: [
    { dimension: "tracking_number", open: 3 },
    { dimension: "source", open: 1 },
    { dimension: "all", open: 0 },
  ],
  driftedMembers: 2,
});

const SCHEDULE = `# HELP calltally_job_runs_total Runs since the schedule started, by job and exit code, or the signal that ended it.
# TYPE calltally_job_runs_total counter
calltally_job_runs_total{name="sync",exit_code="0"} 3
calltally_job_runs_total{name="sync",exit_code="SIGKILL"} 1
calltally_job_runs_total{name="export",exit_code="0"} 0
# HELP calltally_job_running 1 while the job runs.
# TYPE calltally_job_running gauge
calltally_job_running{name="sync"} 1
calltally_job_running{name="export"} 0
# HELP calltally_job_last_duration_seconds Duration of the last run that the schedule started.
# TYPE calltally_job_last_duration_seconds gauge
calltally_job_last_duration_seconds{name="sync"} 61.5
# HELP calltally_job_next_run_timestamp_seconds Next start time of the job.
# TYPE calltally_job_next_run_timestamp_seconds gauge
calltally_job_next_run_timestamp_seconds{name="sync"} 1790000020.25
# HELP calltally_job_healthy 1 while the job succeeds, 0 if /healthz reports it as failing.
# TYPE calltally_job_healthy gauge
calltally_job_healthy{name="sync"} 1
calltally_job_healthy{name="export"} 0
# HELP calltally_job_last_exit_code Exit code of the job's last run, or 128 plus the number of the signal that ended it.
# TYPE calltally_job_last_exit_code gauge
calltally_job_last_exit_code{name="sync"} 0
# HELP calltally_job_last_success_timestamp_seconds When the job last succeeded; a sync succeeds with any verdict except unverified.
# TYPE calltally_job_last_success_timestamp_seconds gauge
calltally_job_last_success_timestamp_seconds{name="sync"} 1795176480.5
`;

const COUNTS = `# HELP calltally_calls Calls in the warehouse: live, or gone from the service; counted when a sync starts and ends.
# TYPE calltally_calls gauge
calltally_calls{state="live"} 5000
calltally_calls{state="gone"} 7
`;

const STATEMENTS = `# HELP calltally_statements Statements on the figures, by level; figures may be wrong or incomplete while there is a doubt.
# TYPE calltally_statements gauge
calltally_statements{level="doubt"} 1
calltally_statements{level="caution"} 0
calltally_statements{level="note"} 0
`;

const REST = `# HELP calltally_rejected_rows Rows that could not be parsed and are not resolved yet.
# TYPE calltally_rejected_rows gauge
calltally_rejected_rows 4
# HELP calltally_notices Tracking numbers, sources and campaigns that are silent or far off, or all calls, by dimension.
# TYPE calltally_notices gauge
calltally_notices{dimension="tracking_number"} 3
calltally_notices{dimension="source"} 1
calltally_notices{dimension="all"} 0
# HELP calltally_schema_drift Members seen that the API documentation does not list.
# TYPE calltally_schema_drift gauge
calltally_schema_drift 2
`;

describe("toMetrics", () => {
  it("returns the whole page of a schedule and its warehouse, with times in seconds", () => {
    const page = formatMetrics(toMetrics(statistics, health, snapshot));
    expect(page).toBe(
      `${SCHEDULE}# HELP calltally_sync_last_duration_seconds Duration of the last finished sync.
# TYPE calltally_sync_last_duration_seconds gauge
calltally_sync_last_duration_seconds 4.75
# HELP calltally_sync_last_verdict 1 for the verdict of the last finished sync.
# TYPE calltally_sync_last_verdict gauge
calltally_sync_last_verdict{verdict="exact"} 0
calltally_sync_last_verdict{verdict="verified"} 0
calltally_sync_last_verdict{verdict="probable"} 1
calltally_sync_last_verdict{verdict="unverified"} 0
${COUNTS}${STATEMENTS}# HELP calltally_withheld_calls Calls that the last finished run missed, above the missing-call threshold.
# TYPE calltally_withheld_calls gauge
calltally_withheld_calls 12
${REST}`,
    );
    parsePrometheus(page);
  });

  it("omits unknown values: of the warehouse, its last run, or the duration of that run", () => {
    expect(formatMetrics(toMetrics(statistics, health, undefined))).toBe(SCHEDULE);
    const first = { ...snapshot, lastDoneRun: undefined };
    expect(formatMetrics(toMetrics(statistics, health, first))).toBe(SCHEDULE + COUNTS + STATEMENTS + REST);
    const old: Partial<SyncRun> = { ...run, elapsed_ms: null, calls_withheld: null };
    const page = formatMetrics(toMetrics([], [], { ...snapshot, lastDoneRun: old as SyncRun }));
    expect(page).toMatch(/^# HELP calltally_sync_last_verdict /);
    expect(page).not.toContain("withheld");
    expect(formatMetrics(toMetrics([], [], undefined))).toBe("");
  });
});

describe("toBellMetrics, toRefusalMetrics", () => {
  it("count rings, rings without a sync of their own, and refusals", () => {
    const bell = new Bell(1000);
    for (let ring = 0; ring < 3; ring++) bell.ring();
    const refused = new Map([
      [401, 5],
      [413, 1],
    ]);
    expect(formatMetrics([...toBellMetrics(bell), ...toRefusalMetrics(refused)])).toBe(
      `# HELP calltally_doorbell_rings_total Deliveries with the secret since the schedule started.
# TYPE calltally_doorbell_rings_total counter
calltally_doorbell_rings_total 3
# HELP calltally_doorbell_coalesced_total Deliveries among them that came while another was already waiting for its sync.
# TYPE calltally_doorbell_coalesced_total counter
calltally_doorbell_coalesced_total 2
# HELP calltally_doorbell_refused_total Requests that the doorbell refused since the schedule started, by status.
# TYPE calltally_doorbell_refused_total counter
calltally_doorbell_refused_total{status="401"} 5
calltally_doorbell_refused_total{status="413"} 1
`,
    );
    expect(formatMetrics(toRefusalMetrics(new Map()))).toBe("");
  });
});
