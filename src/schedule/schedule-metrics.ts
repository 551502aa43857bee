import { LEVELS } from "../export/statements/rule.ts";
import { VERDICTS } from "../service/paging/verdict.ts";
import type { Bell } from "./doorbell/bell.ts";
import type { JobHealth } from "./health.ts";
import type { JobStatistics } from "./job-state.ts";
import type { Snapshot } from "./warehouse-snapshot.ts";

export interface Sample {
  labels?: Readonly<Record<string, string>>;
  value: number;
}

export interface Metric {
  name: string;
  type: "counter" | "gauge";
  help: string;
  samples: readonly Sample[];
}

export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export function formatMetrics(metrics: readonly Metric[]): string {
  return metrics
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, type, help, samples }) =>
      [
        `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`,
        `# TYPE ${name} ${type}`,
        ...samples.map(({ labels = {}, value }) => `${name}${formatLabels(labels)} ${formatValue(value)}`),
        "",
      ].join("\n"),
    )
    .join("");
}

export function withLabel(metrics: readonly Metric[], labels: Readonly<Record<string, string>>): Metric[] {
  return metrics.map((metric) => ({
    ...metric,
    samples: metric.samples.map((sample) => ({ ...sample, labels: { ...labels, ...sample.labels } })),
  }));
}

/** Groups metrics by name, since a page may contain each only once. */
export function mergeMetrics(pages: readonly (readonly Metric[])[]): Metric[] {
  const merged = new Map<string, Metric>();
  for (const metric of pages.flat()) {
    const samples = [...(merged.get(metric.name)?.samples ?? []), ...metric.samples];
    merged.set(metric.name, { ...metric, samples });
  }
  return [...merged.values()];
}

function formatLabels(labels: Readonly<Record<string, string>>): string {
  const escaped = (value: string) =>
    value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function formatValue(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? "+Inf" : "-Inf";
}

const HELP = {
  config_refused:
    "1 while an edited calltally.yaml cannot be used; the schedule then keeps the settings before.",
  job_runs_total: "Runs since the schedule started, by job and exit code, or the signal that ended it.",
  job_running: "1 while the job runs.",
  job_last_duration_seconds: "Duration of the last run that the schedule started.",
  job_next_run_timestamp_seconds: "Next start time of the job.",
  job_healthy: "1 while the job succeeds, 0 if /healthz reports it as failing.",
  job_last_exit_code: "Exit code of the job's last run, or 128 plus the number of the signal that ended it.",
  job_last_success_timestamp_seconds:
    "When the job last succeeded; a sync succeeds with any verdict except unverified.",
  sync_last_duration_seconds: "Duration of the last finished sync.",
  sync_last_verdict: "1 for the verdict of the last finished sync.",
  calls: "Calls in the warehouse: live, or gone from the service; counted when a sync starts and ends.",
  statements:
    "Statements on the figures, by level; figures may be wrong or incomplete while there is a doubt.",
  withheld_calls: "Calls that the last finished run missed, above the missing-call threshold.",
  rejected_rows: "Rows that could not be parsed and are not resolved yet.",
  notices: "Tracking numbers, sources and campaigns that are silent or far off, or all calls, by dimension.",
  schema_drift: "Members seen that the API documentation does not list.",
  doorbell_rings_total: "Deliveries with the secret since the schedule started.",
  doorbell_coalesced_total: "Deliveries among them that came while another was already waiting for its sync.",
  doorbell_refused_total: "Requests that the doorbell refused since the schedule started, by status.",
};

type Samples = Partial<Record<keyof typeof HELP, readonly Sample[]>>;

/** Returns the metrics of the schedule and, if it can be read, of the warehouse. */
export function toMetrics(
  statistics: readonly JobStatistics[],
  health: readonly JobHealth[],
  snapshot: Snapshot | undefined,
): Metric[] {
  return describe({
    ...scheduleSamples(statistics),
    ...healthSamples(health),
    ...(snapshot && warehouseSamples(snapshot)),
  });
}

export function toConfigMetrics(isRefused: boolean): Metric[] {
  return describe({ config_refused: samplesOf(Number(isRefused)) });
}

export function toBellMetrics({ rings, coalesced }: Bell): Metric[] {
  return describe({ doorbell_rings_total: samplesOf(rings), doorbell_coalesced_total: samplesOf(coalesced) });
}

export function toRefusalMetrics(refused: ReadonlyMap<number, number>): Metric[] {
  const byStatus = [...refused].flatMap(([status, count]) => samplesOf(count, { status: String(status) }));
  return describe({ doorbell_refused_total: byStatus });
}

function describe(samples: Samples): Metric[] {
  const known = new Map(Object.entries(samples));
  return Object.entries(HELP).map(([name, help]) => ({
    name: `calltally_${name}`,
    type: name.endsWith("_total") ? "counter" : "gauge",
    help,
    samples: known.get(name) ?? [],
  }));
}

function scheduleSamples(statistics: readonly JobStatistics[]): Samples {
  const perJob = (of: (seen: JobStatistics) => number | undefined) =>
    statistics.flatMap((seen) => samplesOf(of(seen), { name: seen.job }));
  return {
    job_runs_total: statistics.flatMap(({ job, runs }) =>
      [...runs].flatMap(([exit_code, count]) => samplesOf(count, { name: job, exit_code })),
    ),
    job_running: perJob(({ isRunning }) => Number(isRunning)),
    job_last_duration_seconds: perJob(({ lastMs }) => toSeconds(lastMs)),
    job_next_run_timestamp_seconds: perJob(({ nextMs }) => toSeconds(nextMs)),
  };
}

function healthSamples(health: readonly JobHealth[]): Samples {
  const perJob = (of: (health: JobHealth) => number | null | undefined) =>
    health.flatMap((each) => samplesOf(of(each), { name: each.job }));
  return {
    job_healthy: perJob(({ status }) => Number(status === "ok")),
    job_last_exit_code: perJob(({ last_exit_code }) => last_exit_code),
    job_last_success_timestamp_seconds: perJob(({ last_success: at }) =>
      toSeconds(at === null ? null : Date.parse(at)),
    ),
  };
}

function warehouseSamples(snapshot: Snapshot): Samples {
  const { lastDoneRun, calls, statements, notices, rejectedRows, driftedMembers } = snapshot;
  const verdicts = lastDoneRun === undefined ? [] : VERDICTS;
  return {
    sync_last_duration_seconds: samplesOf(toSeconds(lastDoneRun?.elapsed_ms)),
    sync_last_verdict: verdicts.flatMap((verdict) =>
      samplesOf(Number(verdict === lastDoneRun?.verdict), { verdict }),
    ),
    calls: Object.entries(calls).flatMap(([state, count]) => samplesOf(count, { state })),
    statements: LEVELS.flatMap((level) =>
      samplesOf(statements.filter((statement) => statement.level === level).length, { level }),
    ),
    withheld_calls: samplesOf(lastDoneRun?.calls_withheld),
    rejected_rows: samplesOf(rejectedRows),
    notices: notices.flatMap(({ dimension, open }) => samplesOf(open, { dimension })),
    schema_drift: samplesOf(driftedMembers),
  };
}

function samplesOf(value: number | null | undefined, labels?: Record<string, string>): Sample[] {
  return value == null ? [] : [{ ...(labels && { labels }), value }];
}

function toSeconds(ms: number | null | undefined): number | undefined {
  return ms == null ? undefined : ms / 1000;
}
