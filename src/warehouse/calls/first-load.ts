import { addToCount, countRows, readCount, setCount } from "../counts.ts";
import { readMoment, type Tx } from "../transaction.ts";
import type { Reader } from "../warehouse.ts";
import { CALLER_INDEX, callers, deleteUnusedCallers, indexCallers } from "./callers.ts";

// In a first load, calls of a caller arrive in any order. Keeping callers consistent would take a third of the load,
// so they are settled at its end.

const UNSETTLED = "unsettled_calls";

/** Indexes that are faster to build at the end of a first load. */
const INDEXES = {
  call_facts_caller_id: "caller_id",
  call_facts_call_started: "call_started",
};

export function readUnsettled({ db }: Pick<Reader, "db">): number {
  return readCount({ db }, UNSETTLED) ?? 0;
}

export function addUnsettled({ db, sqlite }: Tx, calls: number): void {
  if (readUnsettled({ db }) === 0) {
    for (const name of Object.keys(INDEXES)) sqlite.exec(`DROP INDEX IF EXISTS ${name}`);
    if (countRows({ db }, callers) === 0) sqlite.exec(`DROP INDEX IF EXISTS ${CALLER_INDEX}`);
  }
  addToCount({ db }, UNSETTLED, calls);
}

/**
 * Selects the first calls of `callers` from the facts, whether the first call is marked as such, and how many of the caller's are.
 * With MIN(text), a row's call_id, call_started and is_first_call are those of the least text:
 * calls without a start last, then by id, which may be negative. Not by the index of callers: looking up a million calls takes longer
 * than sorting them.
 */
export const CALLERS_OF_FACTS = `SELECT caller_id, call_id, call_started, is_first_call, marked FROM (
    SELECT caller_id, call_id, call_started, is_first_call, sum(is_first_call) AS marked,
      min(coalesce(call_started, '~') || printf('%017d', call_id + ${2 ** 53})) AS least
    FROM call_facts WHERE is_live AND caller_id IS NOT NULL GROUP BY +caller_id
  )`;

export function settleCallers(tx: Tx): void {
  const { db, sqlite } = tx;
  sqlite.exec(`UPDATE callers SET first_call_id = NULL, first_call_started = NULL
    WHERE first_call_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM call_facts AS f
      WHERE f.call_id = first_call_id AND f.caller_id = callers.caller_id AND f.is_live)`);
  sqlite.exec(`UPDATE callers SET first_call_id = call_id, first_call_started = call_started
    FROM (${CALLERS_OF_FACTS}) AS derived WHERE derived.caller_id = callers.caller_id
      AND (callers.first_call_id, callers.first_call_started) IS NOT (call_id, call_started)`);
  sqlite.exec(`UPDATE call_facts SET is_first_call = NOT is_first_call, changed_ms = ${readMoment(tx)}
    WHERE is_first_call <> (call_id IN (SELECT first_call_id FROM callers WHERE first_call_id IS NOT NULL))`);
  for (const [name, column] of Object.entries(INDEXES)) {
    sqlite.exec(`CREATE INDEX IF NOT EXISTS ${name} ON call_facts (${column})`);
  }
  indexCallers(tx);
  deleteUnusedCallers(tx);
  setCount({ db }, UNSETTLED, null);
}
