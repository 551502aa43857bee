import { nameKeys } from "../paging/order-key.ts";
import { isSure } from "../paging/verdict.ts";
import { pruneFactLog } from "../restatements/logged-facts.ts";
import { readUnsettled, settleCallers } from "../warehouse/calls/first-load.ts";
import { countOtherUnitsOf } from "../warehouse/calls/other-units.ts";
import { countRejected, deleteUnnamed } from "../warehouse/calls/rejected.ts";
import { countUnchanged, trimPages } from "../warehouse/runs/page-table.ts";
import { assertHeld, type SyncRun, updateRun } from "../warehouse/runs/runs.ts";
import { writeTransaction } from "../warehouse/transaction.ts";
import { inferAbsence, NO_ABSENCE } from "./infer-absence.ts";
import type { Judged } from "./judge-reading.ts";
import { type Entry, ended } from "./ledger.ts";
import { callOrderOf } from "./plan.ts";
import type { Run } from "./read-calls.ts";
import type { PageStore } from "./store.ts";

/** Ends a run in the ledger, and marks the calls that it did not meet, in one transaction. */
export function finish(run: Run, entry: Entry, store: PageStore, judged: Judged): SyncRun {
  const { evidence, isFull, sort, judgement, read } = judged;
  const { totals } = evidence;
  const { runId } = entry;
  return writeTransaction(run.warehouse, (tx) => {
    assertHeld(tx, entry);
    const unchanged = countUnchanged(tx, runId);
    const absence = isFull ? inferAbsence(tx, run, runId, judged) : NO_ABSENCE;
    if (isSure(judgement.verdict)) deleteUnnamed(tx, runId);
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
