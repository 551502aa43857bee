import type { AttributionPage } from "../api/attribution.ts";
import type { Drift, ParsedRow, RejectedRow } from "../api/parse.ts";
import type { Call } from "../call.ts";
import { prepareUpsertCalls, type UpsertCalls } from "../warehouse/calls.ts";
import { keepDrift } from "../warehouse/drift.ts";
import type { Warehouse } from "../warehouse/open.ts";
import { insertPage } from "../warehouse/pages.ts";
import { keepRejected, readRejected, releaseRejected } from "../warehouse/rejected.ts";
import { writeTransaction } from "../warehouse/transaction.ts";
import type { Slice } from "./slice.ts";

/** A page of the service with its place among the calls. */
export interface PageSlice extends Slice {
  page: AttributionPage;
}

/** Returns a page as the walk sees it. */
export function toSlice(page: AttributionPage): PageSlice {
  const ids = page.rows.map((row) => ("call" in row ? row.call.call_id : row.rejected.call_id));
  return { offset: page.offset, total: page.total, ids, page };
}

/** Writes the pages of one run into the warehouse, each whole or not at all, and counts what was new in them. */
export class PageStore {
  readonly counts = { new: 0, changed: 0 };
  readonly #warehouse: Warehouse;
  readonly #runId: number;
  readonly #upsertCalls: UpsertCalls;
  readonly #listedDrift = new Set<string>();
  #mayRelease: boolean;
  #seq = 0;

  constructor(warehouse: Warehouse, runId: number) {
    this.#warehouse = warehouse;
    this.#runId = runId;
    this.#upsertCalls = prepareUpsertCalls(warehouse, runId);
    this.#mayRelease = readRejected(warehouse).length > 0;
  }

  save({ page, offset, total, ids }: PageSlice, fetchedAt: string): void {
    const { calls, rejected, drift } = sortRows(page.rows);
    const added = writeTransaction(this.#warehouse, () => {
      const counts = this.#upsertCalls(calls);
      if (this.#mayRelease)
        releaseRejected(
          this.#warehouse,
          calls.map((call) => call.call_id),
        );
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
      return counts;
    });
    this.counts.new += added.new;
    this.counts.changed += added.changed;
    this.#mayRelease ||= rejected.length > 0;
    this.#seq++;
  }

  #unlisted(drift: readonly Drift[], seenAt: string) {
    const fresh = drift.filter(({ path, kind }) => {
      const key = `${kind} ${path}`;
      return !this.#listedDrift.has(key) && this.#listedDrift.add(key);
    });
    return fresh.map((member) => ({ ...member, first_run_id: this.#runId, first_seen_at: seenAt }));
  }
}

function sortRows(rows: readonly ParsedRow[]) {
  const calls: Call[] = [];
  const rejected: RejectedRow[] = [];
  const drift: Drift[] = [];
  for (const row of rows) {
    if ("call" in row) {
      calls.push(row.call);
      drift.push(...row.drift);
    } else {
      rejected.push(row.rejected);
    }
  }
  return { calls, rejected, drift };
}
