import type { Drift, RejectedRow } from "../api/parse-row.ts";
import {
  type KnownCall,
  type Page,
  type PageRow,
  parseOutdated,
  type Recognize,
} from "../api/recognized-page.ts";
import type { Call } from "../call.ts";
import type { Keeping } from "../warehouse/calls/call-guard.ts";
import { prepareRecognize } from "../warehouse/calls/recognize.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { Latest } from "./latest.ts";

/** A page that was put together from several responses counts as older than any other. */
const OLDEST = { attempt: 0, nextAttempt: 0 };

/** The rows of a page, by what is to be done with them. */
export interface SortedRows {
  /** All rows of the page, except those that a later response had already. */
  latest: readonly PageRow[];
  /** The ids of calls that may be older or newer than in another response. */
  unordered: ReadonlySet<number>;
  /** Calls to write, and the hash of each as it was served. */
  calls: readonly Call[];
  hashes: readonly (string | undefined)[];
  /** Stored calls of which only the signature of the recording link has changed. */
  resigned: readonly KnownCall[];
  rejected: readonly RejectedRow[];
  /** Members not as documented. */
  drift: readonly Drift[];
}

/** Sorts the rows of the pages of one run. */
export class RowSorter {
  readonly #latest = new Latest();
  readonly #recognize: Recognize;

  /** @param signature members of a recording link that sign it, besides the usual ones */
  constructor(warehouse: Warehouse, signature: ReadonlySet<string>, keeping: Keeping) {
    this.#recognize = prepareRecognize(warehouse, signature, keeping);
  }

  sort({ rows, exchange }: Pick<Page, "rows" | "exchange">): SortedRows {
    const { rows: latest, unordered } = this.#latest.keepLatest(rows, exchange ?? OLDEST);
    return { latest, unordered, ...sortRows(parseOutdated(latest, this.#recognize)) };
  }
}

function sortRows(rows: readonly PageRow[]): Omit<SortedRows, "latest" | "unordered"> {
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
