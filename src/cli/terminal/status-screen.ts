import { minutesOf } from "../../base/calendar/local-time.ts";
import { ageOf } from "../../base/clock.ts";
import { formatAge, formatCount, formatElapsed, formatQuantity } from "../../base/text/quantity-text.ts";
import { ellipsize, formatTable, hang, WIDTH } from "../../base/text/terminal-text.ts";
import { countInWords } from "../../export/completeness.ts";
import type { Level } from "../../export/statements/rule.ts";
import { doubtsOf, say } from "../../export/statements/statements.ts";
import { describeDelivery, findFailedSync, trustIn } from "../../operate/status/find-problems.ts";
import type { Status } from "../../operate/status/read-status.ts";
import { describeOrder } from "../../service/paging/order-key.ts";
import { originInWords } from "../../warehouse/origin.ts";
import type { JobRecord } from "../../warehouse/runs/job-table.ts";
import type { SyncRun } from "../../warehouse/runs/runs.ts";

const HEIGHT = 24;
/** For a list that may be long. */
const LINES_SHOWN = 2;

interface Row {
  title: string;
  /** What to show; nothing leaves the row out. */
  of: (status: Status, nowMs: number) => string | readonly string[];
  /**
   * `cut` to the width, a line for each text, the title on the first; `wrapped` over lines, each text with the title;
   * or `whole`. @default cut
   */
  layout?: keyof typeof LAYOUTS;
}

const ROWS: readonly Row[] = [
  { title: "Working", of: describeWorking },
  { title: "Fresh", of: describeFreshness },
  { title: "Complete", of: describeCompleteness },
  { title: "", of: (status) => saidOf(status, "doubt").slice(1), layout: "wrapped" }, // the first is in Complete
  { title: "Caution", of: (status) => saidOf(status, "caution"), layout: "wrapped" },
  { title: "Note", of: (status) => saidOf(status, "note"), layout: "wrapped" },
  { title: "Order", of: describeSort },
  { title: "Calls", of: describeCalls, layout: "wrapped" },
  { title: "Topics", of: describeKeptTopics },
  { title: "Notices", of: describeNotices },
  { title: "Rejected", of: describeRejected },
  { title: "Drift", of: describeDrift },
  { title: "Jobs", of: describeJobs },
  { title: "Reports", of: describeReports },
  { title: "Published", of: describePublications },
  { title: "Next", of: describePlan },
  { title: "", of: describeSlots, layout: "wrapped" },
  { title: "Warehouse", of: ({ warehouse }) => warehouse, layout: "whole" },
  { title: "", of: ({ origin }) => originInWords(origin), layout: "whole" },
  { title: "Times of", of: ({ timezone }) => timezone },
];

/** Returns the status for a terminal of 80 columns and 24 lines. */
export function describeStatus(status: Status, nowMs: number): string {
  const lines = ROWS.flatMap(({ title, of, layout = "cut" }) =>
    LAYOUTS[layout](title, [of(status, nowMs)].flat()),
  );
  // Followed by an empty line and the table's head.
  const runs = status.runs.slice(0, Math.max(1, HEIGHT - lines.length - 2));
  if (runs.length > 0) lines.push("", layOutRuns(runs, runColumns("started", status.timezone)));
  return lines.join("\n");
}

/** One line per cluster, with its address if there are several. */
function describePublications({ publications }: Status, nowMs: number): string[] {
  return publications.map(({ target, published_at, calls, error, is_behind }) => {
    const age = published_at === null ? "not yet" : formatAge(ageOf(published_at, nowMs));
    const how =
      error !== null
        ? `${age}; the last attempt failed: ${error}`
        : `${age}, ${is_behind ? "and is behind" : `${formatQuantity(calls ?? 0, "call")}, as here`}`;
    return `${how}; ${target}`;
  });
}

type RunColumns = Readonly<Record<string, (run: SyncRun) => string>>;
const runColumns = (started: string, timezone: string): RunColumns => ({
  run: ({ run_id }) => String(run_id),
  [started]: ({ started_at }) => minutesOf(timezone)(started_at),
  took: ({ elapsed_ms }) => (elapsed_ms === null ? "" : formatElapsed(elapsed_ms)),
  read: ({ calls_read }) => optionalCount(calls_read),
  new: ({ calls_new }) => optionalCount(calls_new),
  changed: ({ calls_changed }) => optionalCount(calls_changed),
  rejected: ({ calls_rejected }) => optionalCount(calls_rejected),
  ended: ({ verdict, status }) => verdict ?? status,
});

export function describeHistory({ runs, timezone }: Status): string {
  if (runs.length === 0) return "No run yet.";
  return layOutRuns(runs, {
    ...runColumns(`started, ${timezone}`, timezone),
    mode: ({ mode }) => mode,
    because: ({ plan_reason }) => plan_reason ?? "",
  });
}

function layOutRuns(runs: readonly SyncRun[], columns: RunColumns): string {
  const shows = Object.values(columns);
  return formatTable(
    Object.keys(columns),
    runs.map((run) => shows.map((show) => show(run))),
  );
}

const LAYOUTS = {
  cut: (title: string, texts: readonly string[]) =>
    texts.map((text, index) => lineOf(index === 0 ? title : "", text, WIDTH)),
  whole: (title: string, texts: readonly string[]) =>
    texts.map((text) => lineOf(title, text, Number.POSITIVE_INFINITY)),
  wrapped: (title: string, texts: readonly string[]) =>
    texts.flatMap((text) => hang(lead(title), text, lead("").length)),
};

function lineOf(title: string, text: string, width: number): string {
  return ellipsize(lead(title) + text, width).trimEnd();
}

function lead(title: string): string {
  return `${title.padEnd(9)}  `;
}

function describeWorking(status: Status, nowMs: number): string {
  const { runs, next, origin_problem, timezone } = status;
  const minuteOf = minutesOf(timezone);
  const [last] = runs;
  if (origin_problem !== null) return `no, another account's warehouse: ${origin_problem}`;
  if (last === undefined) return "not yet: run `calltally sync`";
  const run = `run ${last.run_id}`;
  if (next.not_before !== null)
    return `waiting: the API asked for a pause until ${minuteOf(next.not_before)}`;
  if (last.status === "running") return `${run} has been running since ${minuteOf(last.started_at)}`;
  const age = formatAge(ageOf(last.finished_at ?? last.started_at, nowMs));
  if (last.status !== "done") return `no: ${run} ${last.status} ${age}: ${last.error}`;
  const failed = findFailedSync(status);
  if (failed?.finished_at)
    return `no: the sync failed ${formatAge(ageOf(failed.finished_at, nowMs))}, exit ${failed.exit_code}`;
  return `${trustIn(status)}: ${run} was ${last.verdict}, ${age}`;
}

function describeFreshness(status: Status, nowMs: number): string {
  const { last_good_run: good, newest_call, timezone } = status;
  if (!good?.finished_at) return "no good run yet";
  const newest = newest_call === null ? "" : `; newest call ${minutesOf(timezone)(newest_call)}`;
  return `last good run ${formatAge(ageOf(good.finished_at, nowMs))}${newest}`;
}

/** What is proven, or else what is known. */
function describeCompleteness(status: Status, nowMs: number): string {
  const { last_verified_pass: pass, last_done_run: last, statements } = status;
  const [doubt] = doubtsOf(statements);
  if (doubt !== undefined) return `in doubt: ${say(doubt).text}`;
  if (last === null) return "no sync has finished yet";
  const verified = pass?.finished_at
    ? `run ${pass.run_id} read every call, ${formatAge(ageOf(pass.finished_at, nowMs))}`
    : "not proven";
  if (last.run_id === pass?.run_id) return verified;
  const { mode, run_id, calls_read, last_total } = last;
  if (mode === "incremental") return `${verified}; counts agree since`;
  return `${verified}; run ${run_id} read ${optionalCount(calls_read)}, the service counts ${optionalCount(last_total)}`;
}

function saidOf({ statements }: Status, level: Level): string[] {
  return statements.filter((statement) => statement.level === level).map((each) => say(each).text);
}

function describeSort({ last_done_run: run }: Status): string | readonly string[] {
  return run?.order_key == null ? [] : describeOrder(run);
}

function describeCalls({ calls, difference, last_done_run: run }: Status): string {
  const gone = calls.gone > 0 ? `; ${formatCount(calls.gone)} more are gone from the service` : "";
  return countInWords({ calls: calls.live, total: run?.last_total ?? null, difference }) + gone;
}

function describeKeptTopics({ topics_kept }: Status): string | readonly string[] {
  if (topics_kept === 0) return [];
  return `stay as they are in ${formatQuantity(topics_kept, "call")}, whose transcript was removed`;
}

function describeNotices({ notices, timezone }: Status): string[] {
  return some(notices.map(({ describe }) => describe(timezone)));
}

function describeRejected({ rejected }: Status): string[] {
  if (rejected.length === 0) return ["nothing"];
  const count = `${formatQuantity(rejected.length, "row")}, in the table rejected_calls`;
  return [count, ...some(rejected.map(describeRejection))];
}

/** The key of a row without a call id is a hash, which is useless here. */
function describeRejection({ row_key, call_id, path, reason }: Status["rejected"][number]): string {
  return `${call_id === null ? "" : `${row_key}  `}${path === "" ? "" : `${path}: `}${reason}`;
}

function describeDrift({ drift }: Status): string[] {
  if (drift.length === 0) return ["none: all members are as documented"];
  const lines = drift.map(({ path, kind, json_type }) =>
    kind === "unknown"
      ? `${path}: not documented, kept in extra`
      : `${path}: ${json_type}, in another form than documented`,
  );
  const count = `${formatQuantity(drift.length, "member")} not as documented, in schema_drift`;
  return [count, ...some(lines)];
}

/** One line per job, followed by the error of a failing one. */
function describeJobs({ jobs }: Status, nowMs: number): string[] {
  const width = Math.max(...jobs.map(({ job }) => job.length));
  return jobs.flatMap((record) => {
    const errors = record.failing_since !== null && record.error !== null ? [`  ${record.error}`] : [];
    return [`${record.job.padEnd(width)}  ${describeJob(record, nowMs)}`, ...errors];
  });
}

function describeJob(record: JobRecord, nowMs: number): string {
  const { started_at, finished_at, exit_code, succeeded_at, failing_since } = record;
  const agoOf = (time: string) => formatAge(ageOf(time, nowMs));
  const success = succeeded_at === null ? "no success yet" : `last good ${agoOf(succeeded_at)}`;
  if (finished_at === null) return `started ${agoOf(started_at)}, still running or killed; ${success}`;
  if (failing_since !== null) return `failed ${agoOf(finished_at)}, exit ${exit_code}; ${success}`;
  if (exit_code === 0) return `succeeded ${agoOf(finished_at)}`;
  return `ended ${agoOf(finished_at)}, exit ${exit_code}; ${success}`;
}

/** One line per report, followed by a failed delivery's error. */
function describeReports({ reports, timezone }: Status, nowMs: number): string[] {
  const width = Math.max(0, ...reports.map(({ report }) => report.length));
  return reports.flatMap(({ report, next, last_run: last, deliveries }) => {
    const undelivered = deliveries.filter(({ status }) => status !== "delivered");
    const text = [
      last === null
        ? "not made yet"
        : `${last.status === "done" ? "made" : last.status} ${formatAge(ageOf(last.finished_at ?? last.started_at, nowMs))}`,
      ...(last?.is_stale ? ["stale"] : []),
      ...(deliveries.length > 0
        ? [`delivered to ${deliveries.length - undelivered.length} of ${deliveries.length}`]
        : []),
      ...(next === null ? [] : [`next ${minutesOf(timezone)(next)}`]),
    ].join(", ");
    return [
      `${report.padEnd(width)}  ${text}`,
      ...undelivered.map((delivery) => `  ${describeDelivery(delivery)}`),
    ];
  });
}

function describePlan({ next, timezone }: Status): string {
  if (next.full_pass_due === null) return `a full pass: ${next.plan_reason}`;
  return `an incremental sync; a full pass is due at ${minutesOf(timezone)(next.full_pass_due)}`;
}

/** Cron or systemd may run the jobs at other times instead. */
function describeSlots({ next, timezone }: Status): string | readonly string[] {
  const slots = (["sync", "export", "insights"] as const).flatMap((job) => {
    const at = next[job];
    return at === null ? [] : [`${job} ${minutesOf(timezone)(at)}`];
  });
  return slots.length === 0 ? [] : `if scheduled: ${slots.join(", ")}`;
}

function optionalCount(count: number | null): string {
  return count === null ? "" : formatCount(count);
}

function some(lines: string[]): string[] {
  // One more line takes no more room than "… 1 more".
  const shown = lines.slice(0, lines.length === LINES_SHOWN + 1 ? lines.length : LINES_SHOWN);
  const more = lines.length - shown.length;
  const rest = more > 0 ? [`and ${formatCount(more)} more`] : [];
  return [...shown, ...rest];
}
