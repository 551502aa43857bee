import { integer, sqliteTable } from "drizzle-orm/sqlite-core";
import { FACT_COLUMNS } from "./calls/facts.ts";
import { about, describeTable } from "./described.ts";
import { findOutdated, replaceOutdated, type SchemaObjects } from "./stored-objects.ts";
import { writeTransaction } from "./transaction.ts";
import type { Reader, Warehouse } from "./warehouse.ts";

export const changed_buckets = sqliteTable("changed_buckets", {
  change_id: about(integer().primaryKey({ autoIncrement: true }), "Id of the last change in it."),
  bucket: about(integer().notNull().unique(), "The identifier of a call modulo 1024; 1024 for spend."),
});
export const CHANGED_BUCKETS = describeTable(
  changed_buckets,
  "Buckets of calls that changed, for publications, one row per bucket; written by triggers once there is a publication.",
);

// Triggers mark changed buckets, whatever writes. They exist only after the first publication.

/** An account's calls are divided by id modulo this number, a power of two. */
export const BUCKETS = 1024;

const bucketOf = (row: "OLD" | "NEW" | "call_facts") => `${row}.call_id & ${BUCKETS - 1}`;
// No INSERT OR REPLACE: the statement that fires a trigger overrides its conflict clause.
const mark = (bucket: string | number) =>
  `DELETE FROM changed_buckets WHERE bucket = ${bucket}; INSERT INTO changed_buckets (bucket) VALUES (${bucket});`;
const columnsOf = (row: "OLD" | "NEW") => FACT_COLUMNS.map((column) => `${row}.${column}`).join(", ");

export const MARK_TRIGGERS: SchemaObjects = {
  mark_new_call: `AFTER INSERT ON call_facts BEGIN ${mark(bucketOf("NEW"))} END`,
  mark_changed_call: `AFTER UPDATE ON call_facts WHEN (${columnsOf("OLD")}) IS NOT (${columnsOf("NEW")}) BEGIN ${mark(bucketOf("OLD"))} ${mark(bucketOf("NEW"))} END`,
  mark_renamed_caller: `AFTER UPDATE OF caller ON callers BEGIN
  DELETE FROM changed_buckets WHERE bucket IN (SELECT ${bucketOf("call_facts")} FROM call_facts WHERE caller_id = NEW.caller_id);
  INSERT INTO changed_buckets (bucket) SELECT DISTINCT ${bucketOf("call_facts")} FROM call_facts WHERE caller_id = NEW.caller_id;
END`,
  mark_removed_call: `AFTER DELETE ON call_facts BEGIN ${mark(bucketOf("OLD"))} END`,
  mark_new_spend: `AFTER INSERT ON spend BEGIN ${mark(BUCKETS)} END`,
  mark_changed_spend: `AFTER UPDATE ON spend BEGIN ${mark(BUCKETS)} END`,
  mark_removed_spend: `AFTER DELETE ON spend BEGIN ${mark(BUCKETS)} END`,
};

/** Starts marking changes, unless already started; buckets marked earlier no longer count. */
export function beginMarks(warehouse: Warehouse): void {
  const { sqlite } = warehouse;
  const isMarked = () => findOutdated(sqlite, "TRIGGER", MARK_TRIGGERS).length === 0;
  if (isMarked()) return;
  writeTransaction(warehouse, () => {
    if (isMarked()) return;
    replaceOutdated(sqlite, "TRIGGER", MARK_TRIGGERS);
    // Changes made while nothing was marked are unknown.
    sqlite.exec(mark(BUCKETS));
    sqlite.exec("UPDATE publications SET totals = NULL");
  });
}

/** Returns the number of the last change, and the buckets changed since an earlier one. */
export function readChanges({ db }: Reader, since = 0): { changeId: number; buckets: number[] } {
  const rows = db.select().from(changed_buckets).all();
  return {
    changeId: Math.max(0, ...rows.map(({ change_id }) => change_id)),
    buckets: rows.flatMap(({ change_id, bucket }) => (change_id > since && bucket < BUCKETS ? [bucket] : [])),
  };
}
