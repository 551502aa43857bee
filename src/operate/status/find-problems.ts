import type { Age } from "../../base/calendar/age-text.ts";
import { ageOf, isFuture } from "../../base/clock.ts";
import { formatQuantity } from "../../base/text/quantity-text.ts";
import type { Level } from "../../export/statements/rule.ts";
import { doubtsOf } from "../../export/statements/statements.ts";
import { REPORT_JOB, RESTATED_JOB } from "../../reports/report.ts";
import type { JobRecord } from "../../warehouse/runs/job-table.ts";
import type { Status } from "./read-status.ts";

export interface Problems {
  /** What failed, or is late: `status` ends with 3. */
  failures: string[];
  /** What figures lack though nothing failed. */
  remarks: string[];
}

export function findProblems(status: Status): Problems {
  const { runs, statements, origin_problem, disk_problem, drift } = status;
  const [last] = runs;
  const hasFailed = last !== undefined && last.status !== "done" && last.status !== "running";
  // A report that the file no longer names can never succeed.
  const reports = status.reports.filter(({ in_file }) => in_file);
  const jobs = status.jobs.filter(
    ({ job, failing_since }) => failing_since !== null && isScheduled(job, reports),
  );
  const textsOf = (level: Level) =>
    statements.filter((statement) => statement.level === level).map(({ text }) => text);
  const errors = new Set(jobs.map(({ error }) => error));
  const failures = [
    origin_problem !== null && `another account's warehouse: ${origin_problem}`,
    disk_problem !== null && `the disk is nearly full: ${disk_problem}`,
    hasFailed && !errors.has(last.error) && String(last.error),
    ...textsOf("doubt"),
    ...jobs.map((job) => `${job.job}: ${describeJobError(job)}`),
    ...reports.flatMap((report) => findUndelivered(report, errors)),
    ...status.publications.map(({ error }) => error !== null && `not published: ${error}`),
  ];
  const remarks = [
    ...textsOf("caution"),
    drift.length > 0 && `${formatQuantity(drift.length, "member")} not as documented`,
    ...status.notices.map((each) => each.ended_at === null && each.describe(status.timezone)),
  ];
  return { failures: failures.filter(isText), remarks: remarks.filter(isText) };
}

/** Says how far the state after a good sync can be relied on. */
export function trustIn({ statements, disk_problem }: Pick<Status, "statements" | "disk_problem">): string {
  if (doubtsOf(statements).length > 0) return "in doubt";
  return disk_problem === null ? "yes" : "at risk";
}

/** Returns the sync by the schedule that failed after the last run; undefined if none did. */
export function findFailedSync({ jobs, runs: [last] }: Pick<Status, "jobs" | "runs">): JobRecord | undefined {
  const sync = jobs.find(({ job, failing_since }) => job === "sync" && failing_since !== null);
  return (sync?.finished_at ?? "") > (last?.finished_at ?? "") ? sync : undefined;
}

function describeJobError({ error, exit_code }: Pick<JobRecord, "error" | "exit_code">): string {
  return error ?? `it ended with exit code ${exit_code}`;
}

function isScheduled(job: string, reports: Status["reports"]): boolean {
  const prefix = [REPORT_JOB, RESTATED_JOB].find((each) => job.startsWith(each));
  return prefix === undefined || reports.some(({ report }) => prefix + report === job);
}

/** @param known errors of jobs, which need not be repeated */
function findUndelivered(
  { report, last_run: run, deliveries }: Status["reports"][number],
  known: ReadonlySet<string | null>,
): string[] {
  const undelivered = deliveries.filter(({ status }) => status !== "delivered");
  return [
    ...(run?.status === "failed" && !known.has(run.error) ? [`${report}: ${run.error}`] : []),
    ...undelivered.map((delivery) => `${report}: ${describeDelivery(delivery)}`),
  ];
}

export function describeDelivery({
  channel,
  recipient,
  status,
  last_error,
}: Status["reports"][number]["deliveries"][number]): string {
  return `${channel} to ${recipient}: ${status}${last_error === null ? "" : `: ${last_error}`}`;
}

function isText(value: string | false): value is string {
  return value !== false;
}

/** Returns why the last good run is too old; undefined if it is not. */
export function findLate({ last_good_run }: Status, { ms, text }: Age, nowMs: number): string | undefined {
  const finishedAt = last_good_run?.finished_at;
  if (!finishedAt) return "There has been no good run";
  if (isFuture(finishedAt, nowMs)) return `The last good run is dated in the future: ${finishedAt}`;
  return ageOf(finishedAt, nowMs) <= ms ? undefined : `The last good run is older than ${text}`;
}
