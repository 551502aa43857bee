import { ApiError } from "../api/api-errors.ts";
import { MAX_RETRY_AFTER_MS } from "../api/retry.ts";
import { minuteOf } from "../base/clock.ts";
import { describeError, InterruptedError } from "../base/errors.ts";
import { nameKeys, readKeys } from "../paging/order-key.ts";
import {
  type Judgement,
  judge,
  judgeIncremental,
  missingCallThreshold,
  SURE_VERDICTS,
} from "../paging/verdict.ts";
import { pruneFactLog } from "../warehouse/calls/fact-log.ts";
import { readUnsettled, settleCallers } from "../warehouse/calls/first-load.ts";
import {
  type Absence,
  countExpected,
  forgetUnorderedAbsent,
  markAbsent,
  markUnorderedAbsent,
} from "../warehouse/calls/gone.ts";
import { countOtherUnitsOf } from "../warehouse/calls/other-units.ts";
import { countRejected, deleteUnnamed } from "../warehouse/calls/rejected.ts";
import {
  countDistinctCalls,
  countRepeatedRequests,
  countUnchanged,
  readFirstPageTime,
  trimPages,
} from "../warehouse/runs/page-table.ts";
import {
  assertHeld,
  type RunHold,
  readLastVerifiedPass,
  type SyncRun,
  updateRun,
} from "../warehouse/runs/runs.ts";
import { type Tx, writeTransaction } from "../warehouse/transaction.ts";
import { callOrderOf } from "./plan.ts";
import type { Reading, Run } from "./read-calls.ts";
import type { PageStore } from "./store.ts";

const HOUR_MS = 3_600_000;

/** The entry of a run in the ledger. */
export interface Entry extends RunHold {
  /** When this process began with it, milliseconds. */
  startedMs: number;
}

/** What a run has read, and what that is worth. */
export interface Judged extends Reading {
  judgement: Judgement;
  /** Different calls. */
  read: number;
}

/** Judges what was read: a full pass by what its pages prove, an incremental one by that and the books. */
export function judgeReading(run: Run, { runId }: Entry, reading: Reading): Judged {
  const { warehouse } = run;
  const read = countDistinctCalls(warehouse, runId);
  const repeated = reading.evidence.repeated + countRepeatedRequests(warehouse, runId);
  const evidence = { ...reading.evidence, repeated };
  return { ...reading, evidence, read, judgement: judgeBy(run, { ...reading, evidence }, read) };
}

function judgeBy({ warehouse }: Run, { isFull, evidence }: Reading, read: number): Judgement {
  if (isFull) return judge(evidence, read);
  const last = readLastVerifiedPass(warehouse);
  const expected = countExpected(warehouse, last?.run_id ?? 0);
  const since = last?.finished_at ? `${minuteOf(last.finished_at)} UTC` : null;
  const keys = readKeys(last?.order_key).filter(({ name }) => name.startsWith("call_started"));
  return judgeIncremental(evidence, { expected, since, keys });
}

/** Ends a run in the ledger, and infers from the calls that it did not meet what may be; all in one transaction. */
export function finish(run: Run, entry: Entry, store: PageStore, judged: Judged): SyncRun {
  const { evidence, isFull, sort, judgement, read } = judged;
  const { totals } = evidence;
  const { runId } = entry;
  return writeTransaction(run.warehouse, (tx) => {
    assertHeld(tx, entry);
    const unchanged = countUnchanged(tx, runId);
    const absence = isFull ? inferAbsence(tx, run, entry, judged) : NO_ABSENCE;
    if (isSure(judgement)) deleteUnnamed(tx, runId);
    trimPages(tx, runId);
    if (readUnsettled(tx) > 0) settleCallers(tx);
    pruneFactLog(tx, run.clock.now());
    return updateRun(tx, runId, {
      ...judgement,
      ...absence,
      ...ended(run, entry),
      status: "done",
      mode: isFull ? "full" : "incremental",
      sort,
      order_key: nameKeys(evidence.keys),
      call_order: callOrderOf(evidence.keys),
      first_total: totals.first,
      last_total: totals.last,
      calls_read: read,
      ...store.counts,
      calls_conflicting: store.counts.calls_conflicting + store.disputed.size,
      calls_other_unit: countOtherUnitsOf(tx, runId, run.claim.orgUnitId),
      calls_unchanged: unchanged,
      calls_rejected: countRejected(tx, runId),
      pages: evidence.slices,
      seams_mended: evidence.seamsMended,
      seams_broken: evidence.seamsBroken,
    });
  });
}

/** Ends a run in the ledger that was cut short; what it has read is kept. Of a run that is not ours any more nothing is said. */
export function fail(run: Run, entry: Entry, error: unknown): void {
  const asked = error instanceof ApiError ? error.retryAfterMs : undefined;
  const untilMs = asked === undefined ? undefined : run.clock.now() + Math.min(asked, MAX_RETRY_AFTER_MS);
  writeTransaction(run.warehouse, (tx) => {
    assertHeld(tx, entry);
    updateRun(tx, entry.runId, {
      ...ended(run, entry),
      status: error instanceof InterruptedError ? "interrupted" : "failed",
      error: describeError(error),
      not_before: untilMs === undefined ? null : new Date(untilMs).toISOString(),
    });
  });
}

const NO_ABSENCE: Absence = { calls_missing: 0, calls_gone: 0, calls_withheld: 0, calls_unlisted: 0 };
/** Over how long passes have to miss a call of a service without an order key. */
const UNORDERED_MS = 24 * HOUR_MS;

function isSure({ verdict }: Judgement): boolean {
  return SURE_VERDICTS.some((sure) => sure === verdict);
}

/**
 * Marks the calls that a full pass did not meet, if every row it read has an id and the pass is sure, however long it took: it
 * read every call that was listed throughout, so one that it did not meet was not listed at some moment of it. Over a service
 * without an order key, the third pass in a row does so that read exactly as many calls as the service counted all the while.
 */
function inferAbsence(tx: Tx, run: Run, { runId }: Entry, { judgement, evidence, read }: Judged): Absence {
  const { goneAfterHours, acceptGone } = run;
  const { keys, totals, unplaced, repeated, old } = evidence;
  const isCounted = judgement.verdict === "probable" && totals.isConstant && read === totals.last;
  const isUnordered = keys.length === 0 && isCounted && repeated + old === 0;
  if (!isUnordered || unplaced > 0) forgetUnorderedAbsent(tx);
  const startedAt = readFirstPageTime(tx, runId);
  if (startedAt === undefined || unplaced > 0 || !(isUnordered || isSure(judgement))) return NO_ABSENCE;
  const isOrderedBy = (member: string) => keys.some(({ name }) => name.startsWith(member));
  // A list that has become empty says nothing of any call.
  const threshold = (listedCalls: number) => (read === 0 ? 0 : missingCallThreshold(listedCalls));
  const mark = isUnordered ? markUnorderedAbsent : markAbsent;
  return mark(tx, {
    runId,
    startedAt,
    isById: isOrderedBy("call_id") && !isOrderedBy("call_started"),
    clockAheadMs: run.attempts().clock_ahead_ms ?? null,
    waitMs: isUnordered ? UNORDERED_MS : goneAfterHours * HOUR_MS,
    limit: (listedCalls) => Math.max(threshold(listedCalls), acceptGone),
  });
}

function ended({ clock, attempts }: Run, { startedMs }: Entry) {
  const nowMs = clock.now();
  return { finished_at: new Date(nowMs).toISOString(), elapsed_ms: nowMs - startedMs, ...attempts() };
}
