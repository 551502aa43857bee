import { ApiError } from "../api/errors.ts";
import { endOfWait } from "../api/retry.ts";
import { describeError, InterruptedError } from "../errors.ts";
import { type Absence, countExpected, markAbsent } from "../warehouse/gone.ts";
import { countDistinctCalls, trimPages } from "../warehouse/pages.ts";
import { countRejected, releaseUnnamed } from "../warehouse/rejected.ts";
import { readLastVerifiedPass, type SyncRun, updateRun } from "../warehouse/runs.ts";
import { writeTransaction } from "../warehouse/transaction.ts";
import type { Reading, Run } from "./read.ts";
import type { PageStore } from "./store.ts";
import { type Judgement, judge, judgeIncremental } from "./verdict.ts";

const HOUR_MS = 3_600_000;

/** A run's place in the ledger. */
export interface Entry {
  runId: number;
  /** When this process began with it, milliseconds. */
  startedMs: number;
}

/** What a run has read, and what that is worth. */
export interface Judged extends Reading {
  judgement: Judgement;
  /** Different calls. */
  read: number;
}

/** Judges what was read: a full pass by its seams, an incremental one by its seams and the books. */
export function judgeReading(run: Run, { runId }: Entry, reading: Reading): Judged {
  const read = countDistinctCalls(run.warehouse, runId);
  return { ...reading, read, judgement: judgeBy(run, reading, read) };
}

function judgeBy({ warehouse }: Run, { isFull, evidence }: Reading, read: number): Judgement {
  if (isFull) return judge(evidence, read);
  const last = readLastVerifiedPass(warehouse);
  const expected = countExpected(warehouse, last?.run_id ?? 0);
  return judgeIncremental(evidence, { expected, since: last?.finished_at ?? null });
}

/** Ends a run in the ledger, and marks the calls that a verified full pass did not meet; all in one transaction. */
export function finish(run: Run, entry: Entry, store: PageStore, judged: Judged): SyncRun {
  const { warehouse } = run;
  const { evidence, isFull, order, judgement, read } = judged;
  const { runId } = entry;
  return writeTransaction(warehouse, () => {
    const rejected = countRejected(warehouse, runId);
    const isSure = isFull && (judgement.verdict === "exact" || judgement.verdict === "verified");
    const absence = isSure ? markMissed(run, entry) : NO_ABSENCE;
    if (isSure) releaseUnnamed(warehouse, runId);
    trimPages(warehouse, runId);
    return updateRun(warehouse, runId, {
      ...judgement,
      ...absence,
      ...ended(run, entry),
      status: "done",
      mode: isFull ? "full" : "incremental",
      call_order: order,
      first_total: evidence.firstTotal,
      last_total: evidence.lastTotal,
      calls_read: read,
      calls_new: store.counts.new,
      calls_changed: store.counts.changed,
      calls_unchanged: read - store.counts.new - store.counts.changed - rejected.withId,
      calls_rejected: rejected.rows,
      calls_returned: store.counts.returned,
      pages: evidence.slices,
      seams_mended: evidence.seamsMended,
      seams_broken: evidence.seamsBroken,
      inversions: evidence.inversionsNear + evidence.inversionsFar,
    });
  });
}

/** Ends a run in the ledger that was cut short; what it has read is kept. */
export function fail(run: Run, entry: Entry, error: unknown): void {
  const retryAfterMs = error instanceof ApiError ? error.retryAfterMs : undefined;
  updateRun(run.warehouse, entry.runId, {
    ...ended(run, entry),
    status: error instanceof InterruptedError ? "interrupted" : "failed",
    error: describeError(error),
    not_before: retryAfterMs === undefined ? null : endOfWait(run.clock.now(), retryAfterMs),
  });
}

const NO_ABSENCE: Absence = { calls_missing: 0, calls_gone: 0, calls_withheld: 0 };

function markMissed({ warehouse, goneAfterHours, acceptGone }: Run, { runId, startedMs }: Entry): Absence {
  return markAbsent(warehouse, {
    runId,
    startedAt: new Date(startedMs).toISOString(),
    goneIfMissingSince: new Date(startedMs - goneAfterHours * HOUR_MS).toISOString(),
    limit: (liveCalls) => Math.max(10, Math.ceil(liveCalls / 100), acceptGone),
  });
}

function ended({ clock, attempts }: Run, { startedMs }: Entry) {
  const nowMs = clock.now();
  return { finished_at: new Date(nowMs).toISOString(), elapsed_ms: nowMs - startedMs, ...attempts() };
}
