import { FACT_COLUMNS } from "./calls/call-facts.ts";
import { publications } from "./schema.ts";
import { writeTransaction } from "./transaction.ts";
import type { Warehouse } from "./warehouse.ts";

/*
 * A publication after a sync hashes the calls of those buckets alone that have changed since the one before. Triggers say
 * which, whatever code or hand writes. They are there only once something was published: until then they cost nothing.
 */

/** Buckets of an account's calls, by their identifiers modulo this. A power of two. */
export const BUCKETS = 1024;

const bucketOf = (row: "OLD" | "NEW") => `${row}.call_id & ${BUCKETS - 1}`;
// No INSERT OR REPLACE: the statement that fires a trigger decides what becomes of conflicts in it.
const mark = (bucket: string | number) =>
  `DELETE FROM changed_buckets WHERE bucket = ${bucket}; INSERT INTO changed_buckets (bucket) VALUES (${bucket});`;
const columnsOf = (row: "OLD" | "NEW") => FACT_COLUMNS.map((column) => `${row}.${column}`).join(", ");

const STATEMENTS = Object.entries({
  mark_new_call: `AFTER INSERT ON call_facts BEGIN ${mark(bucketOf("NEW"))} END`,
  mark_changed_call: `AFTER UPDATE ON call_facts WHEN (${columnsOf("OLD")}) IS NOT (${columnsOf("NEW")}) BEGIN ${mark(bucketOf("OLD"))} ${mark(bucketOf("NEW"))} END`,
  mark_removed_call: `AFTER DELETE ON call_facts BEGIN ${mark(bucketOf("OLD"))} END`,
  mark_new_spend: `AFTER INSERT ON spend BEGIN ${mark(BUCKETS)} END`,
  mark_changed_spend: `AFTER UPDATE ON spend BEGIN ${mark(BUCKETS)} END`,
  mark_removed_spend: `AFTER DELETE ON spend BEGIN ${mark(BUCKETS)} END`,
}).map(([name, text]) => ({ name, statement: `CREATE TRIGGER ${name} ${text}` }));

/** Begins to mark what changes, where it is not marked yet; what was known of buckets before is known no more. */
export function beginMarks(warehouse: Warehouse): void {
  const { db, sqlite } = warehouse;
  const read = sqlite.prepare<[], string>("SELECT sql FROM sqlite_schema WHERE type = 'trigger'").pluck();
  const isMarked = () => {
    const stored = new Set(read.all());
    return STATEMENTS.every(({ statement }) => stored.has(statement));
  };
  if (isMarked()) return;
  writeTransaction(warehouse, () => {
    if (isMarked()) return;
    for (const { name, statement } of STATEMENTS) sqlite.exec(`DROP TRIGGER IF EXISTS ${name}; ${statement}`);
    // What changed while nothing was marked is not known.
    sqlite.exec(mark(BUCKETS));
    db.update(publications).set({ totals: null }).run();
  });
}

/** Returns the number of the last change, and the buckets that have changed since an earlier one. */
export function readChanges(
  { sqlite }: Pick<Warehouse, "sqlite">,
  since = 0,
): { changeId: number; buckets: number[] } {
  const rows = sqlite
    .prepare<[], [id: number, bucket: number]>("SELECT change_id, bucket FROM changed_buckets")
    .raw()
    .all();
  return {
    changeId: Math.max(0, ...rows.map(([id]) => id)),
    buckets: rows.flatMap(([id, bucket]) => (id > since && bucket < BUCKETS ? [bucket] : [])),
  };
}
