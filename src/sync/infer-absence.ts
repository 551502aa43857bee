import { isSure, missingCallThreshold } from "../paging/verdict.ts";
import {
  type Absence,
  forgetUnorderedAbsent,
  markAbsent,
  markUnorderedAbsent,
} from "../warehouse/calls/gone.ts";
import { readFirstPageTime } from "../warehouse/runs/page-table.ts";
import type { Tx } from "../warehouse/transaction.ts";
import type { Judged } from "./judge-reading.ts";
import type { Run } from "./read-calls.ts";

const HOUR_MS = 3_600_000;

export const NO_ABSENCE: Absence = { calls_missing: 0, calls_gone: 0, calls_withheld: 0, calls_unlisted: 0 };
/** How long passes must miss a call of a service without an order key. */
const UNORDERED_MS = 24 * HOUR_MS;

/**
 * Marks the calls that a full pass did not meet, if every row it read has an id and the pass is sure, however long it took: it
 * read every call that was listed throughout, so a call that it did not meet was unlisted at some moment of the pass. Over a
 * service without an order key, this takes three passes in a row that each read exactly as many calls as the service counted.
 */
export function inferAbsence(
  tx: Tx,
  run: Run,
  runId: number,
  { judgement, evidence, read }: Judged,
): Absence {
  const { goneAfterHours, acceptGone } = run;
  const { keys, totals, unplaced, repeated, old } = evidence;
  const isCounted = judgement.verdict === "probable" && totals.isConstant && read === totals.last;
  const isUnordered = keys.length === 0 && isCounted && repeated + old === 0;
  if (!isUnordered || unplaced > 0) forgetUnorderedAbsent(tx);
  const startedAt = readFirstPageTime(tx, runId);
  if (startedAt === undefined || unplaced > 0 || !(isUnordered || isSure(judgement.verdict)))
    return NO_ABSENCE;
  const isOrderedBy = (member: string) => keys.some(({ name }) => name.startsWith(member));
  // An empty list proves nothing about any call.
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
