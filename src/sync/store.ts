import { idOf, type ParsedRow } from "../service/api/parse-row.ts";
import type { Sort } from "../service/paging/order-key.ts";
import type { Keeping } from "../warehouse/calls/call-guard.ts";
import {
  prepareUpsertCalls,
  readCallCount,
  type UpsertCalls,
  type UpsertResult,
} from "../warehouse/calls/call-table.ts";
import { readUnsettled } from "../warehouse/calls/first-load.ts";
import { clearAbsence, hasAbsentCalls } from "../warehouse/calls/gone.ts";
import { deletePages, insertPage } from "../warehouse/runs/page-table.ts";
import {
  addToIdsHash,
  assertHeld,
  type RunCounts,
  type RunHold,
  readCounts,
  updateRun,
} from "../warehouse/runs/runs.ts";
import { writeTransaction } from "../warehouse/transaction.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { type Claim, claimWarehouse } from "./claim-warehouse.ts";
import type { PageSlice } from "./fetch.ts";
import { Latest } from "./latest.ts";
import { toMembers } from "./order-members.ts";
import { UndocumentedStore } from "./undocumented-store.ts";

/** A page put together from several responses counts as older than any other. */
const OLDEST = { attempt: 0, nextAttempt: 0 };

/** Writes the pages of one run into the warehouse, one transaction each, and counts new and changed calls. */
export class PageStore {
  /** Includes the counts from before the run was interrupted. */
  counts: RunCounts;
  /** New and changed calls of the last page. */
  lastWritten: ReadonlySet<number> = new Set();
  /** Calls on which responses disagree, if it is unknown which is newer. */
  readonly disputed = new Set<number>();
  readonly #warehouse: Warehouse;
  readonly #run: RunHold;
  /** Undefined once the warehouse is bound to the service. */
  #claim: Claim | undefined;
  readonly #upsertCalls: UpsertCalls;
  readonly #keeping: Keeping;
  readonly #latest = new Latest();
  readonly #undocumented: UndocumentedStore;
  readonly #hasAbsent: boolean;
  #seq: number;

  /**
   * @param pages how many the run has, if it is resumed
   * @param options.signature members of a recording link that sign it, besides the usual ones
   */
  constructor(
    warehouse: Warehouse,
    run: RunHold,
    pages: number,
    { claim, signature, keeping }: { claim: Claim; signature: ReadonlySet<string>; keeping: Keeping },
  ) {
    this.#warehouse = warehouse;
    this.#run = run;
    this.#claim = claim;
    this.#upsertCalls = prepareUpsertCalls(warehouse, run.runId, {
      signature,
      keeping,
      isFirstLoad: readCallCount(warehouse) === 0 || readUnsettled(warehouse) > 0,
    });
    this.#keeping = keeping;
    this.#undocumented = new UndocumentedStore(warehouse, run.runId, keeping);
    this.#hasAbsent = hasAbsentCalls(warehouse);
    this.#seq = pages;
    this.counts = readCounts(warehouse, run.runId);
  }

  save({ page, rows, offset, total, isOld = false }: PageSlice, fetchedAt: string): void {
    const { runId } = this.#run;
    const { rows: latest, unordered } = this.#latest.keepLatest(page.rows, page.exchange ?? OLDEST);
    const sorted = sortRows(latest);
    const callIds = page.rows.flatMap((row) => ("rejected" in row ? [] : row.call.call_id));
    // Includes rows that cannot be parsed: their calls are listed.
    const metIds = rows.flatMap(({ id }) => id ?? []);
    const saved = writeTransaction(this.#warehouse, (tx) => {
      assertHeld(tx, this.#run);
      if (this.#claim) claimWarehouse(tx, this.#claim, rows, fetchedAt);
      const upserted = this.#upsertCalls(tx, sorted.calls);
      const returned = this.#hasAbsent ? clearAbsence(tx, metIds) : 0;
      this.#undocumented.save(tx, sorted, { callIds, fetchedAt });
      const counts = this.#countWith(upserted, returned);
      updateRun(tx, runId, { ...counts });
      insertPage(tx, {
        run_id: runId,
        seq: this.#seq,
        offset,
        row_count: rows.length,
        total,
        call_ids: JSON.stringify(rows.map(({ id }) => id)),
        order_members: JSON.stringify(toMembers(rows, this.#keeping.forgotten)),
        request_id: page.requestId,
        is_old: isOld,
        fetched_at: fetchedAt,
      });
      return { counts, written: upserted.written };
    });
    this.#claim = undefined;
    this.counts = saved.counts;
    this.lastWritten = saved.written;
    for (const id of latest.map(idOf)) {
      if (id === null) continue;
      if (!unordered.has(id)) this.disputed.delete(id);
      else if (saved.written.has(id)) this.disputed.add(id);
    }
    this.#seq++;
  }

  /** Writes only the disputed calls of a page that was fetched again, which is not part of the walk. */
  settle({ page }: PageSlice): void {
    const disputed = page.rows.filter((row) => this.disputed.has(idOf(row) ?? Number.NaN));
    const { rows: latest, unordered } = this.#latest.keepLatest(disputed, page.exchange ?? OLDEST);
    const { calls } = sortRows(latest);
    this.counts = writeTransaction(this.#warehouse, (tx) => {
      assertHeld(tx, this.#run);
      const counts = this.#countWith(this.#upsertCalls(tx, calls), 0);
      updateRun(tx, this.#run.runId, { ...counts });
      return counts;
    });
    for (const { call_id } of calls) if (!unordered.has(call_id)) this.disputed.delete(call_id);
  }

  /** Deletes the pages, but not the calls, of the run so far: another walk begins. */
  startOver(sort: Sort): void {
    writeTransaction(this.#warehouse, (tx) => {
      assertHeld(tx, this.#run);
      deletePages(tx, this.#run.runId);
      updateRun(tx, this.#run.runId, { resumed: null, sort });
    });
    this.#seq = 0;
  }

  #countWith(upserted: UpsertResult, returned: number): RunCounts {
    const { calls_new, calls_changed, calls_returned, calls_conflicting, new_ids_hash } = this.counts;
    return {
      calls_new: calls_new + upserted.newIds.size,
      calls_changed: calls_changed + upserted.changed,
      calls_returned: calls_returned + returned,
      calls_conflicting: calls_conflicting + upserted.conflicting,
      new_ids_hash: [...upserted.newIds].reduce(addToIdsHash, new_ids_hash),
    };
  }
}

function sortRows(rows: readonly ParsedRow[]) {
  const parsed = rows.filter((row) => "call" in row);
  return {
    calls: parsed.map(({ call }) => call),
    rejected: rows.flatMap((row) => ("rejected" in row ? row.rejected : [])),
    drift: parsed.flatMap(({ drift }) => drift),
  };
}
