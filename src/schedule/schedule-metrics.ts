import { VERDICTS } from "../paging/verdict.ts";
import type { Bell } from "./doorbell/bell.ts";
import type { JobHealth } from "./health.ts";
import type { JobStatistics } from "./job-statistics.ts";
import type { Metric, Sample } from "./prometheus-format.ts";
import type { Snapshot } from "./warehouse-snapshot.ts";

/** Returns the metrics of the schedule and of the warehouse; undefined where that cannot be read, or is not there yet. */
export function toMetrics(
  statistics: readonly JobStatistics[],
  health: readonly JobHealth[],
  snapshot: Snapshot | undefined,
): Metric[] {
  return [
    ...scheduleMetrics(statistics),
    ...healthMetrics(health),
    ...(snapshot === undefined ? [] : warehouseMetrics(snapshot)),
  ];
}

/** Returns the metrics of an account's doorbell. */
export function toBellMetrics({ rings, coalesced }: Bell): Metric[] {
  return [
    {
      name: "calltally_doorbell_rings_total",
      type: "counter",
      help: "Deliveries with the secret since the schedule started.",
      samples: [{ value: rings }],
    },
    {
      name: "calltally_doorbell_coalesced_total",
      type: "counter",
      help: "Deliveries among them that came while another was waiting for its sync already.",
      samples: [{ value: coalesced }],
    },
  ];
}

/** Returns how many requests the doorbell refused, by status. */
export function toRefusalMetrics(refused: ReadonlyMap<number, number>): Metric[] {
  return [
    {
      name: "calltally_doorbell_refused_total",
      type: "counter",
      help: "Requests that the doorbell refused since the schedule started, by status.",
      samples: [...refused].map(([status, value]) => ({ labels: { status: String(status) }, value })),
    },
  ];
}

function healthMetrics(health: readonly JobHealth[]): Metric[] {
  return [
    {
      name: "calltally_job_healthy",
      type: "gauge",
      help: "1 while the job does its work, 0 where /healthz says that it is failing.",
      samples: health.map(({ job, status }) => ({ labels: { job }, value: Number(status === "ok") })),
    },
    {
      name: "calltally_job_last_exit_code",
      type: "gauge",
      help: "Exit code of the job's last run, 128 and the signal's number where one ended it.",
      samples: health.flatMap(({ job, last_exit_code: value }) =>
        value === null ? [] : [{ labels: { job }, value }],
      ),
    },
    {
      name: "calltally_job_last_success_timestamp_seconds",
      type: "gauge",
      help: "When the job last succeeded; a sync succeeds with any verdict but unverified.",
      samples: health.flatMap(({ job, last_success: at }) =>
        at === null ? [] : [{ labels: { job }, value: Date.parse(at) / 1000 }],
      ),
    },
  ];
}

function scheduleMetrics(statistics: readonly JobStatistics[]): Metric[] {
  const perJob = (value: (seen: JobStatistics) => number | undefined): Sample[] =>
    statistics.flatMap((seen) => {
      const number = value(seen);
      return number === undefined ? [] : [{ labels: { job: seen.job }, value: number }];
    });
  return [
    {
      name: "calltally_job_runs_total",
      type: "counter",
      help: "Runs since the schedule started, by job and exit code, or the signal that ended it.",
      samples: statistics.flatMap(({ job, runs }) =>
        [...runs].map(([exit_code, value]) => ({ labels: { job, exit_code }, value })),
      ),
    },
    {
      name: "calltally_job_running",
      type: "gauge",
      help: "1 while the job runs.",
      samples: perJob(({ isRunning }) => Number(isRunning)),
    },
    {
      name: "calltally_job_last_duration_seconds",
      type: "gauge",
      help: "Duration of the last run that the schedule started.",
      samples: perJob(({ lastMs }) => toSeconds(lastMs)),
    },
    {
      name: "calltally_job_next_run_timestamp_seconds",
      type: "gauge",
      help: "Next start time of the job.",
      samples: perJob(({ nextMs }) => toSeconds(nextMs)),
    },
  ];
}

function warehouseMetrics(snapshot: Snapshot): Metric[] {
  const { lastDoneRun, calls, rejectedRows, driftedMembers } = snapshot;
  return [
    {
      name: "calltally_sync_last_duration_seconds",
      type: "gauge",
      help: "Duration of the last finished sync.",
      samples: samplesOf(toSeconds(lastDoneRun?.elapsed_ms)),
    },
    {
      name: "calltally_sync_last_verdict",
      type: "gauge",
      help: "1 for the verdict of the last finished sync.",
      samples: lastDoneRun
        ? VERDICTS.map((verdict) => ({ labels: { verdict }, value: Number(verdict === lastDoneRun.verdict) }))
        : [],
    },
    {
      name: "calltally_calls",
      type: "gauge",
      help: "Calls in the warehouse: live, or gone from the service; counted when a sync starts and ends.",
      samples: Object.entries(calls).map(([state, value]) => ({ labels: { state }, value })),
    },
    {
      name: "calltally_withheld_calls",
      type: "gauge",
      help: "Calls that the last finished run missed, above the missing-call threshold.",
      samples: samplesOf(lastDoneRun?.calls_withheld ?? undefined),
    },
    {
      name: "calltally_rejected_rows",
      type: "gauge",
      help: "Rows that did not parse and are not resolved yet.",
      samples: samplesOf(rejectedRows),
    },
    {
      name: "calltally_schema_drift",
      type: "gauge",
      help: "Members seen that the API documentation does not list.",
      samples: samplesOf(driftedMembers),
    },
  ];
}

function samplesOf(value: number | undefined): Sample[] {
  return value === undefined ? [] : [{ value }];
}

function toSeconds(ms: number | null | undefined): number | undefined {
  return ms === null || ms === undefined ? undefined : ms / 1000;
}
