import { eq, sql } from "drizzle-orm";
import { formatCount, formatQuantity } from "../../base/text/quantity-text.ts";
import { isSure } from "../../service/paging/verdict.ts";
import { nameSome } from "../../warehouse/attribution/named-calls.ts";
import { readCallCount } from "../../warehouse/calls/call-table.ts";
import { calls } from "../../warehouse/calls/calls.ts";
import { rejected_calls } from "../../warehouse/calls/rejected.ts";
import { addToIdsHash, hashRun, readLastRunId, readRuns, type SyncRun } from "../../warehouse/runs/runs.ts";
import type { Reader } from "../../warehouse/warehouse.ts";
import { fails, holds, type VerifyCheck } from "./verified.ts";

/** A proven pass, and the ids of the calls that it met. */
export interface Pass {
  runId: number;
  ids: ReadonlySet<number>;
}

interface StoredCall {
  id: number;
  first_run_id: number;
  changed_run_id: number;
  missing_since: string | null;
  gone_at: string | null;
  absent_since: string | null;
  unlisted_since: string | null;
}

/** What the calls say of one run. */
interface Traces {
  calls: number;
  idsHash: number;
  changed: number;
  gone: number;
  unlisted: number;
}

/**
 * Compares the calls with what each run recorded, and with the calls that a proven pass met, at the moment that the
 * reader's transaction sees.
 */
export function* verifyLedger(warehouse: Reader, pass?: Pass): Generator<VerifyCheck> {
  const runs = readRuns(warehouse, Number.MAX_SAFE_INTEGER).reverse();
  const { traces, calls, strays, met, newer, early, unmarked } = traceCalls(warehouse, runs, pass);
  if (pass !== undefined) yield verifyMet(warehouse, pass, met);
  const of = (run: SyncRun) => traces.get(run.run_id) ?? NO_TRACES;
  const counted = readCallCount(warehouse);
  const problems = [
    ...findLost(runs, readLastRunId(warehouse)),
    ...runs.flatMap((run) => compareRun(run, of(run))),
    ...findReturned(runs, of),
    ...(calls === counted ? [] : [`${formatQuantity(counted, "call")} are counted, and ${calls} are there`]),
    ...describe(strays, "that no run recorded"),
    ...describe(early, "of the pass are marked as missing, gone or unlisted by no later run"),
    ...(pass === undefined ? [] : findUnmarked(runs, pass.runId, unmarked)),
  ];
  const all = formatQuantity(calls, "call");
  if (problems.length > 0) return yield fails("runs", problems.join("; "));
  yield holds(
    "runs",
    pass === undefined
      ? `${formatQuantity(runs.length, "run")} lead to the ${all} in the warehouse`
      : `${formatCount(met)} read + ${formatCount(newer)} by later runs + ${formatCount(calls - met - newer)} that it did not meet: ${all} in the warehouse`,
  );
}

const NO_TRACES: Traces = { calls: 0, idsHash: 0, changed: 0, gone: 0, unlisted: 0 };

/** Reads the keys and marks of all calls. */
function traceCalls({ sqlite }: Reader, runs: readonly SyncRun[], pass: Pass | undefined) {
  const traces = new Map(runs.map(({ run_id }) => [run_id, { ...NO_TRACES }]));
  const marking = new Map(runs.filter(mayMark).flatMap((run) => marksOf(run).map((at) => [at, run.run_id])));
  const [strays, early, unmarked]: [number[], number[], number[]] = [[], [], []];
  let [calls, met, newer] = [0, 0, 0];
  const read = sqlite.prepare<[], StoredCall>(
    `SELECT call_id AS id, first_run_id, changed_run_id, missing_since, gone_at, absent_since, unlisted_since FROM calls`,
  );
  for (const { id, first_run_id, changed_run_id, ...marks } of read.iterate()) {
    calls++;
    const first = traces.get(first_run_id);
    const changed = traces.get(changed_run_id);
    if (first === undefined || changed === undefined) {
      strays.push(id);
      continue;
    }
    first.calls++;
    first.idsHash = addToIdsHash(first.idsHash, id);
    if (changed !== first) changed.changed++;
    const { missing_since, gone_at, absent_since, unlisted_since } = marks;
    const times = [missing_since, gone_at, absent_since, unlisted_since].filter((time) => time !== null);
    const marked = times.map((time) => marking.get(time) ?? 0);
    if (marked.includes(0)) strays.push(id);
    if (gone_at !== null) bump(traces.get(marking.get(gone_at) ?? 0), "gone");
    if (unlisted_since !== null) bump(traces.get(marking.get(unlisted_since) ?? 0), "unlisted");
    if (pass === undefined) continue;
    if (pass.ids.has(id)) {
      met++;
      if (marked.some((run) => run <= pass.runId)) early.push(id);
    } else if (first_run_id > pass.runId) newer++;
    else if (times.length === 0) unmarked.push(id);
  }
  return { traces, calls, strays, met, newer, early, unmarked };
}

function bump(traces: Traces | undefined, what: "gone" | "unlisted"): void {
  if (traces !== undefined) traces[what]++;
}

/** A run that ended, and failed in what follows, has no verdict any more; the marks that it made are there. */
function mayMark({ status, mode, verdict }: SyncRun): boolean {
  return mode === "full" && (status === "failed" || isSure(verdict) || verdict === "probable");
}

/** The times with which a full pass marks calls; see `markAbsent`. */
function marksOf({ started_at, first_page_at }: SyncRun): string[] {
  if (first_page_at === null) return [];
  return [first_page_at, started_at > first_page_at ? started_at : first_page_at];
}

function verifyMet({ db }: Reader, { ids }: Pass, met: number): VerifyCheck {
  const stored = db
    .select({ id: calls.call_id })
    .from(calls)
    .where(eq(calls.call_id, sql.placeholder("id")))
    .prepare();
  const isStored = (id: number) => stored.get({ id }) !== undefined;
  const rejections = db.selectDistinct({ id: rejected_calls.call_id }).from(rejected_calls).all();
  const rejected = rejections.flatMap(({ id }) => (id !== null && ids.has(id) && !isStored(id) ? [id] : []));
  const there = formatQuantity(met, "call");
  const orRejected = rejected.length > 0 ? `, or rejected (${rejected.length})` : "";
  const lost = ids.size - met - rejected.length;
  if (lost === 0) return holds("calls", `all ${there} of the pass are in the warehouse${orRejected}`);
  const known = new Set(rejected);
  const names = Iterator.from(ids).filter((id) => !known.has(id) && !isStored(id));
  return fails(
    "calls",
    `${formatQuantity(lost, "call")} of the pass are not in the warehouse: ${nameSome(names, lost)}`,
  );
}

/** Runs are numbered without gaps, and never deleted. */
function findLost(runs: readonly SyncRun[], last: number): string[] {
  const lost = last - runs.length;
  const [gap] = runs.filter(({ run_id }, index) => run_id !== index + 1);
  return lost === 0 && gap === undefined ? [] : [`of ${formatQuantity(last, "run")}, ${lost} are missing`];
}

function compareRun(run: SyncRun, { calls, idsHash, changed, gone, unlisted }: Traces): string[] {
  const { run_id, status, verdict, row_hash } = run;
  const { calls_new, calls_changed, calls_gone, calls_unlisted } = run;
  const isAsItEnded = status === "done" ? row_hash === hashRun(run) : verdict === null && row_hash === null;
  const isOver = (count: number, recorded: number | null) => count > (recorded ?? 0);
  const recorded = (calls: number | null) => formatQuantity(calls ?? 0, "call");
  const isOfOthers = calls === (calls_new ?? 0) && idsHash !== (run.new_ids_hash ?? 0);
  const problems = [
    !isAsItEnded && "is not recorded as it ended",
    calls !== (calls_new ?? 0) && `added ${recorded(calls_new)}, and ${calls} are there`,
    isOfOthers && "added other calls than those that are there",
    isOver(changed, calls_changed) && `changed ${recorded(calls_changed)}, and ${changed} are changed`,
    isOver(gone, calls_gone) && `marked ${recorded(calls_gone)} as gone, and ${gone} are marked`,
    isOver(unlisted, calls_unlisted) && `marked ${recorded(calls_unlisted)} as unlisted, and ${unlisted} are`,
  ];
  return problems.filter((problem) => problem !== false).map((problem) => `run ${run_id} ${problem}`);
}

/** Calls that a run marked as gone count again only if a later run met them. */
function findReturned(runs: readonly SyncRun[], of: (run: SyncRun) => Traces): string[] {
  let returned = 0;
  let unexplained = 0;
  for (const run of runs.toReversed()) {
    const lacking = Math.max(0, (run.calls_gone ?? 0) - of(run).gone);
    unexplained += Math.max(0, lacking - returned);
    returned = Math.max(0, returned - lacking) + (run.calls_returned ?? 0);
  }
  return unexplained === 0
    ? []
    : [`${formatQuantity(unexplained, "call")} marked as gone count again, though no later run met them`];
}

/** A call that the pass did not meet is marked, unless too many were missing, or a later run met it. */
function findUnmarked(runs: readonly SyncRun[], runId: number, unmarked: readonly number[]): string[] {
  const withheld = runs.find(({ run_id }) => run_id === runId)?.calls_withheld ?? 0;
  const returned = runs.reduce(
    (sum, { run_id, calls_returned }) => sum + (run_id > runId ? (calls_returned ?? 0) : 0),
    0,
  );
  return unmarked.length <= withheld + returned
    ? []
    : describe(unmarked, "that the pass did not meet are not marked as missing");
}

function describe(ids: readonly number[], what: string): string[] {
  return ids.length === 0
    ? []
    : [`${formatQuantity(ids.length, "call")} ${what}: ${nameSome(ids, ids.length)}`];
}
