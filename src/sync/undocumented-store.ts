import type { Drift, RejectedRow } from "../service/api/parse-row.ts";
import type { Keeping } from "../warehouse/calls/call-guard.ts";
import { recordDrift } from "../warehouse/calls/drift.ts";
import { deleteRejected, readRejected, recordRejected } from "../warehouse/calls/rejected.ts";
import type { Tx } from "../warehouse/transaction.ts";
import type { Reader } from "../warehouse/warehouse.ts";

/** Undocumented members listed per run; a service that uses values as member names has any number of them. */
const MAX_LISTED_DRIFT = 1000;

/** Records what a run reads contrary to the documentation: rows that cannot be parsed, and members of calls. */
export class UndocumentedStore {
  readonly #runId: number;
  readonly #keeping: Keeping;
  readonly #listedDrift = new Set<string>();
  #hasRejected: boolean;

  constructor(warehouse: Reader, runId: number, keeping: Keeping) {
    this.#runId = runId;
    this.#keeping = keeping;
    this.#hasRejected = readRejected(warehouse).length > 0;
  }

  /** @param callIds calls of the page that parse; their earlier rejections are deleted */
  save(
    tx: Tx,
    { rejected, drift }: { rejected: readonly RejectedRow[]; drift: readonly Drift[] },
    { callIds, fetchedAt }: { callIds: readonly number[]; fetchedAt: string },
  ): void {
    if (this.#hasRejected) deleteRejected(tx, callIds);
    recordRejected(tx, rejected, this.#runId, this.#keeping);
    recordDrift(tx, this.#unlisted(drift, fetchedAt), this.#keeping);
    this.#hasRejected ||= rejected.length > 0;
  }

  #unlisted(drift: readonly Drift[], seenAt: string) {
    const fresh = drift.filter(({ path, kind }) => {
      const key = `${kind} ${path}`;
      const isNew = !this.#listedDrift.has(key) && this.#listedDrift.size < MAX_LISTED_DRIFT;
      return isNew && this.#listedDrift.add(key);
    });
    return fresh.map((member) => ({ ...member, first_run_id: this.#runId, first_seen_at: seenAt }));
  }
}
