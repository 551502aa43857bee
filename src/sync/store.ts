import type { Drift, RejectedRow } from "../api/parse-row.ts";
import {
  callOf,
  idOf,
  type KnownCall,
  type PageRow,
  parseOutdated,
  type Recognize,
} from "../api/recognized-page.ts";
import type { Call } from "../call.ts";
import type { Sort } from "../paging/order-key.ts";
import type { Row } from "../paging/slice.ts";
import type { Keeping } from "../warehouse/calls/call-guard.ts";
import {
  prepareRefreshRecording,
  prepareUpsertCalls,
  readCallCount,
  type UpsertCalls,
  type Upserted,
} from "../warehouse/calls/call-table.ts";
import { recordDrift } from "../warehouse/calls/drift.ts";
import { readUnsettled } from "../warehouse/calls/first-load.ts";
import { clearAbsence, hasAbsentCalls } from "../warehouse/calls/gone.ts";
import { prepareRecognize } from "../warehouse/calls/recognize.ts";
import { deleteRejected, readRejected, recordRejected } from "../warehouse/calls/rejected.ts";
import { deletePages, insertPage } from "../warehouse/runs/page-table.ts";
import { assertHeld, type RunCounts, type RunHold, readCounts, updateRun } from "../warehouse/runs/runs.ts";
import { type Tx, writeTransaction } from "../warehouse/transaction.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { type Claim, claimWarehouse } from "./claim-warehouse.ts";
import type { PageSlice } from "./fetch.ts";
import { Latest } from "./latest.ts";
import { toMembers } from "./order-members.ts";

/** A page that was put together from several responses counts as older than any other. */
const OLDEST = { attempt: 0, nextAttempt: 0 };
/** Members not as documented that one run lists: a service that names members by their values has no end of them. */
const MAX_LISTED_DRIFT = 1000;

/** Writes the pages of one run into the warehouse, each whole or not at all, and counts what was new in them. */
export class PageStore {
  /** What the run has counted so far, and before it was cut short. */
  counts: RunCounts;
  /** The calls of the last page that were new or changed. */
  lastWritten: ReadonlySet<number> = new Set();
  /** The calls that responses have with different contents, where it is unknown which of them is newer. */
  readonly disputed = new Set<number>();
  readonly #warehouse: Warehouse;
  readonly #run: RunHold;
  /** The service that the calls are read from, until the warehouse is bound to it. */
  #claim: Claim | undefined;
  readonly #upsertCalls: UpsertCalls;
  readonly #recognize: Recognize;
  readonly #keeping: Keeping;
  readonly #refreshRecording: (callId: number, url: string | null) => void;
  readonly #latest = new Latest();
  readonly #listedDrift = new Set<string>();
  readonly #hasAbsent: boolean;
  #hasRejected: boolean;
  #seq: number;

  /**
   * @param pages those the run has already, if it was cut short before
   * @param options.claim the service that the calls are read from
   * @param options.signature members of a recording link that sign it, besides the usual ones
   * @param options.keeping what may be kept of the calls
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
    this.#recognize = prepareRecognize(warehouse, signature, keeping);
    this.#keeping = keeping;
    this.#refreshRecording = prepareRefreshRecording(warehouse);
    this.#hasAbsent = hasAbsentCalls(warehouse);
    this.#hasRejected = readRejected(warehouse).length > 0;
    this.#seq = pages;
    this.counts = readCounts(warehouse, run.runId);
  }

  save({ page, rows, offset, total, isOld = false }: PageSlice, fetchedAt: string): void {
    const { runId } = this.#run;
    const latest = this.#latest.keepLatest(page.rows, page.exchange ?? OLDEST);
    const { rejected, drift, ...parsed } = sortRows(parseOutdated(latest.rows, this.#recognize));
    const callIds = page.rows.flatMap((row) => ("rejected" in row ? [] : callOf(row).call_id));
    // What does not parse is there all the same.
    const metIds = rows.flatMap(({ id }) => id ?? []);
    const saved = writeTransaction(this.#warehouse, (tx) => {
      assertHeld(tx, this.#run);
      if (this.#claim) claimWarehouse(tx, this.#claim, rows, fetchedAt);
      const upserted = this.#write(tx, parsed);
      const returned = this.#hasAbsent ? clearAbsence(tx, metIds) : 0;
      if (this.#hasRejected) deleteRejected(tx, callIds);
      recordRejected(tx, rejected, runId, this.#keeping);
      recordDrift(tx, this.#unlisted(drift, fetchedAt), this.#keeping);
      const counts = this.#countWith(upserted, returned);
      updateRun(tx, runId, { ...counts });
      insertPage(tx, {
        run_id: runId,
        seq: this.#seq,
        offset,
        row_count: rows.length,
        total,
        call_ids: JSON.stringify(rows.map(({ id }) => id)),
        order_members: JSON.stringify(toMembers(this.#withoutForgotten(rows))),
        request_id: page.requestId,
        is_old: isOld,
        fetched_at: fetchedAt,
      });
      return { counts, written: upserted.written };
    });
    this.#claim = undefined;
    this.counts = saved.counts;
    this.lastWritten = saved.written;
    for (const id of latest.rows.map(idOf)) {
      if (id === null) continue;
      if (!latest.unordered.has(id)) this.disputed.delete(id);
      else if (saved.written.has(id)) this.disputed.add(id);
    }
    this.#hasRejected ||= rejected.length > 0;
    this.#seq++;
  }

  /** Writes of a page that was asked for again the calls that are disputed, and nothing else: it is no page of the walk. */
  settle({ page }: PageSlice): void {
    const disputed = page.rows.filter((row) => this.disputed.has(idOf(row) ?? Number.NaN));
    const { rows, unordered } = this.#latest.keepLatest(disputed, page.exchange ?? OLDEST);
    const parsed = sortRows(parseOutdated(rows, this.#recognize));
    this.counts = writeTransaction(this.#warehouse, (tx) => {
      assertHeld(tx, this.#run);
      const counts = this.#countWith(this.#write(tx, parsed), 0);
      updateRun(tx, this.#run.runId, { ...counts });
      return counts;
    });
    for (const row of rows) {
      if ("rejected" in row) continue;
      const { call_id } = callOf(row);
      if (!unordered.has(call_id)) this.disputed.delete(call_id);
    }
  }

  #write(
    tx: Tx,
    { calls, hashes, resigned }: Pick<ReturnType<typeof sortRows>, "calls" | "hashes" | "resigned">,
  ): Upserted {
    const upserted = this.#upsertCalls(tx, calls, hashes);
    for (const { call_id, recording_url } of resigned) this.#refreshRecording(call_id, recording_url ?? null);
    return upserted;
  }

  /** Forgets the pages written so far, and that the run goes on from them, but not their calls: another walk begins. */
  startOver(sort: Sort): void {
    writeTransaction(this.#warehouse, (tx) => {
      assertHeld(tx, this.#run);
      deletePages(tx, this.#run.runId);
      updateRun(tx, this.#run.runId, { resumed: null, sort });
    });
    this.#seq = 0;
  }

  /** Leaves out names with the number of a forgotten caller: without them a pass that is taken up again proves no order by source. */
  #withoutForgotten(rows: readonly Row[]): readonly Row[] {
    const { forgotten } = this.#keeping;
    if (forgotten === undefined) return rows;
    const isClean = (name: string | null) => name === null || forgotten.mask(name) === name;
    return rows.map((row) => (isClean(row.name) ? row : { ...row, name: null }));
  }

  #countWith(upserted: Upserted, returned: number): RunCounts {
    const { calls_new, calls_changed, calls_returned, calls_conflicting } = this.counts;
    return {
      calls_new: calls_new + upserted.new,
      calls_changed: calls_changed + upserted.changed,
      calls_returned: calls_returned + returned,
      calls_conflicting: calls_conflicting + upserted.conflicting,
    };
  }

  #unlisted(drift: readonly Drift[], seenAt: string) {
    const fresh = drift.filter(({ path, kind }) => {
      const key = `${kind} ${path}`;
      const isNew = !this.#listedDrift.has(key) && this.#listedDrift.size < MAX_LISTED_DRIFT;
      return isNew && this.#listedDrift.add(key);
    });
    return fresh.map((member) => ({ ...member, first_run_id: this.#run.runId, first_seen_at: seenAt }));
  }
}

function sortRows(rows: readonly PageRow[]) {
  const calls: Call[] = [];
  const hashes: (string | undefined)[] = [];
  const rejected: RejectedRow[] = [];
  const drift: Drift[] = [];
  const resigned: KnownCall[] = [];
  for (const row of rows) {
    if ("call" in row) {
      calls.push(row.call);
      hashes.push(row.served);
      for (const member of row.drift) drift.push(member);
    } else if ("rejected" in row) {
      rejected.push(row.rejected);
    } else if (row.known.isResigned) {
      resigned.push(row.known);
    }
  }
  return { calls, hashes, rejected, drift, resigned };
}
