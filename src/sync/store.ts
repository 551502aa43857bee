import type { Drift, RejectedRow } from "../api/parse.ts";
import type { Call } from "../call.ts";
import { countWritten, prepareUpsertCalls, type UpsertCalls } from "../warehouse/calls.ts";
import { keepDrift } from "../warehouse/drift.ts";
import { clearAbsence, hasAbsentCalls } from "../warehouse/gone.ts";
import type { Warehouse } from "../warehouse/open.ts";
import { deletePages, insertPage } from "../warehouse/pages.ts";
import { prepareRecognize, type Recognize } from "../warehouse/recognize.ts";
import { keepRejected, readRejected, releaseRejected } from "../warehouse/rejected.ts";
import { updateRun } from "../warehouse/runs.ts";
import { writeTransaction } from "../warehouse/transaction.ts";
import { idOf, type Page, type PageRow, parseOutdated } from "./page-row.ts";
import type { Slice } from "./slice.ts";

/** A page of the service with its place among the calls. */
export interface PageSlice extends Slice {
  page: Page;
}

/** Returns a page as the walk sees it. */
export function toSlice(page: Page): PageSlice {
  return { offset: page.offset, total: page.total, ids: page.rows.map(idOf), page };
}

/** Writes the pages of one run into the warehouse, each whole or not at all, and counts what was new in them. */
export class PageStore {
  readonly counts: { new: number; changed: number; returned: number };
  /** The calls of the last page that were new or changed. */
  lastWritten: ReadonlySet<number> = new Set();
  readonly #warehouse: Warehouse;
  readonly #runId: number;
  readonly #upsertCalls: UpsertCalls;
  readonly #recognize: Recognize;
  readonly #listedDrift = new Set<string>();
  readonly #hasAbsent: boolean;
  #hasRejected: boolean;
  #seq: number;

  /** @param pages those the run has already, if it was cut short before */
  constructor(warehouse: Warehouse, runId: number, pages: number) {
    this.#warehouse = warehouse;
    this.#runId = runId;
    this.#upsertCalls = prepareUpsertCalls(warehouse, runId);
    this.#recognize = prepareRecognize(warehouse);
    this.#hasAbsent = hasAbsentCalls(warehouse);
    this.#hasRejected = readRejected(warehouse).length > 0;
    this.#seq = pages;
    this.counts = { ...(pages > 0 ? countWritten(warehouse, runId) : { new: 0, changed: 0 }), returned: 0 };
  }

  save({ page, offset, total, ids }: PageSlice, fetchedAt: string): void {
    const { calls, hashes, rejected, drift } = sortRows(parseOutdated(page.rows, this.#recognize));
    const callIds = page.rows.flatMap((row) => ("rejected" in row ? [] : (idOf(row) ?? [])));
    const saved = writeTransaction(this.#warehouse, () => {
      const upserted = this.#upsertCalls(calls, hashes);
      const returned = this.#hasAbsent ? clearAbsence(this.#warehouse, callIds) : 0;
      if (this.#hasRejected) releaseRejected(this.#warehouse, callIds);
      keepRejected(this.#warehouse, rejected, this.#runId);
      keepDrift(this.#warehouse, this.#unlisted(drift, fetchedAt));
      insertPage(this.#warehouse, {
        run_id: this.#runId,
        seq: this.#seq,
        offset,
        row_count: ids.length,
        total,
        call_ids: JSON.stringify(ids),
        request_id: page.requestId,
        fetched_at: fetchedAt,
      });
      return { ...upserted, returned };
    });
    this.counts.new += saved.new;
    this.counts.changed += saved.changed;
    this.counts.returned += saved.returned;
    this.lastWritten = saved.written;
    this.#hasRejected ||= rejected.length > 0;
    this.#seq++;
  }

  /** Forgets the pages written so far, and that the run goes on from them, but not their calls: another walk begins. */
  startOver(): void {
    writeTransaction(this.#warehouse, () => {
      deletePages(this.#warehouse, this.#runId);
      updateRun(this.#warehouse, this.#runId, { resumed: null });
    });
    this.#seq = 0;
  }

  #unlisted(drift: readonly Drift[], seenAt: string) {
    const fresh = drift.filter(({ path, kind }) => {
      const key = `${kind} ${path}`;
      return !this.#listedDrift.has(key) && this.#listedDrift.add(key);
    });
    return fresh.map((member) => ({ ...member, first_run_id: this.#runId, first_seen_at: seenAt }));
  }
}

function sortRows(rows: readonly PageRow[]) {
  const calls: Call[] = [];
  const hashes: (string | undefined)[] = [];
  const rejected: RejectedRow[] = [];
  const drift: Drift[] = [];
  for (const row of rows) {
    if ("call" in row) {
      calls.push(row.call);
      hashes.push(row.served);
      drift.push(...row.drift);
    } else if ("rejected" in row) {
      rejected.push(row.rejected);
    }
  }
  return { calls, hashes, rejected, drift };
}
