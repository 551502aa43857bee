import { formatQuantity } from "../base/text/quantity-text.ts";
import { nameKeys } from "../service/paging/order-key.ts";
import { isSure, missingCallThreshold } from "../service/paging/verdict.ts";
import { deleteUnusedCallers } from "../warehouse/calls/callers.ts";
import { readUnsettled, settleCallers } from "../warehouse/calls/first-load.ts";
import {
  type Absence,
  forgetUnorderedAbsent,
  markAbsent,
  markUnorderedAbsent,
} from "../warehouse/calls/gone.ts";
import { countOtherUnitsOf } from "../warehouse/calls/other-units.ts";
import { countRejected, deleteUnnamed } from "../warehouse/calls/rejected.ts";
import { countUnchanged, readFirstPageTime, trimPages } from "../warehouse/runs/page-table.ts";
import { assertHeld, type SyncRun, sealRun } from "../warehouse/runs/runs.ts";
import { type Tx, writeTransaction } from "../warehouse/transaction.ts";
import { certify } from "./certify.ts";
import type { JudgedReading } from "./judge-reading.ts";
import { type Entry, ended } from "./ledger.ts";
import { callOrderOf } from "./plan.ts";
import type { Run } from "./read-calls.ts";
import type { PageStore } from "./store.ts";

const HOUR_MS = 3_600_000;

const NO_ABSENCE: Absence = { calls_missing: 0, calls_gone: 0, calls_withheld: 0, calls_unlisted: 0 };
/** How long passes must miss a call if the service has no order key. */
const UNORDERED_HOURS = 24;

/** Closes a run in `sync_runs`, and marks the calls that it did not read, in one transaction. */
export function finish(run: Run, entry: Entry, store: PageStore, judged: JudgedReading): SyncRun {
  const { evidence, isFull, sort, reason, judgement, read } = judged;
  const { totals } = evidence;
  const { runId } = entry;
  return writeTransaction(run.warehouse, (tx) => {
    assertHeld(tx, entry);
    const unchanged = countUnchanged(tx, runId);
    const absence = isFull ? inferAbsence(tx, run, runId, judged) : NO_ABSENCE;
    if (isSure(judgement.verdict)) deleteUnnamed(tx, runId);
    if (readUnsettled(tx) > 0) settleCallers(tx);
    else deleteUnusedCallers(tx);
    const end = ended(run, entry);
    if (isFull && isSure(judgement.verdict)) certify(tx, run, runId, judged, end.finished_at);
    const first_page_at = readFirstPageTime(tx, runId) ?? null;
    trimPages(tx, runId);
    const rejected = countRejected(tx, runId);
    const unread = rejected === 0 ? "" : `; ${formatQuantity(rejected, "row")} of these could not be parsed`;
    return sealRun(tx, runId, {
      ...judgement,
      verdict_reason: judgement.verdict_reason + unread,
      ...absence,
      gone_after_hours: isFull ? waitHours(run, evidence) : null,
      ...end,
      first_page_at,
      mode: isFull ? "full" : "incremental",
      ...(reason && { plan_reason: reason }),
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
      calls_rejected: rejected,
      pages: evidence.slices,
      seams_mended: evidence.seamsMended,
      seams_broken: evidence.seamsBroken,
    });
  });
}

function waitHours({ goneAfterHours }: Run, { keys }: JudgedReading["evidence"]): number {
  return keys.length === 0 ? UNORDERED_HOURS : goneAfterHours;
}

/**
 * Marks the calls that a full pass did not read, if the pass is sure and every row has an id. A sure pass, however long, has
 * read every call that was listed throughout, so a call that it did not read was not listed at some moment of it. If the
 * service has no order key, this takes three passes in a row that each read exactly as many calls as `total`.
 */
function inferAbsence(
  tx: Tx,
  run: Run,
  runId: number,
  { judgement, evidence, read }: JudgedReading,
): Absence {
  const { keys, totals, unplaced, repeated, old } = evidence;
  const isCounted = judgement.verdict === "probable" && totals.isConstant && read === totals.last;
  const isUnordered = keys.length === 0 && isCounted && repeated + old === 0;
  if (!isUnordered || unplaced > 0) forgetUnorderedAbsent(tx);
  const startedAt = readFirstPageTime(tx, runId);
  if (startedAt === undefined || unplaced > 0 || !(isUnordered || isSure(judgement.verdict)))
    return NO_ABSENCE;
  const isOrderedBy = (member: string) => keys.some(({ name }) => name.startsWith(member));
  // An empty list is no proof that calls are gone.
  const threshold = (listedCalls: number) => (read === 0 ? 0 : missingCallThreshold(listedCalls));
  const mark = isUnordered ? markUnorderedAbsent : markAbsent;
  return mark(tx, {
    runId,
    startedAt,
    isById: isOrderedBy("call_id") && !isOrderedBy("call_started"),
    clockAheadMs: run.attempts().clock_ahead_ms ?? null,
    waitMs: waitHours(run, evidence) * HOUR_MS,
    limit: (listedCalls) => Math.max(threshold(listedCalls), run.acceptGone),
  });
}
