import { gt } from "drizzle-orm";
import { integer, sqliteTable } from "drizzle-orm/sqlite-core";
import { FACT_COLUMNS } from "./calls/facts.ts";
import { about, describeTable } from "./described.ts";
import { findOutdated, isOther, replaceOutdated, type SchemaObjects } from "./stored-objects.ts";
import { writeTransaction } from "./transaction.ts";
import type { Reader, Warehouse } from "./warehouse.ts";

export const changed_calls = sqliteTable("changed_calls", {
  change_id: about(integer().primaryKey({ autoIncrement: true }), "Id of its last change."),
  call_id: about(integer().unique(), "The call, which may be gone; null for spend."),
});
export const CHANGED_CALLS = describeTable(
  changed_calls,
  "Calls whose facts changed after a publication, one row per call; written by triggers once there is a publication.",
);

// Triggers mark changed calls, whatever writes. They exist only after the first publication.

// No INSERT OR REPLACE: the statement that fires a trigger overrides its conflict clause.
const mark = (row: "OLD" | "NEW") =>
  `DELETE FROM changed_calls WHERE call_id = ${row}.call_id; INSERT INTO changed_calls (call_id) VALUES (${row}.call_id);`;
const MARK_SPEND =
  "DELETE FROM changed_calls WHERE call_id IS NULL; INSERT INTO changed_calls (call_id) VALUES (NULL);";

export const MARK_TRIGGERS: SchemaObjects = {
  mark_new_call: `AFTER INSERT ON call_facts BEGIN ${mark("NEW")} END`,
  mark_changed_call: `AFTER UPDATE ON call_facts WHEN ${isOther(FACT_COLUMNS)} BEGIN ${mark("OLD")} ${mark("NEW")} END`,
  mark_renamed_caller: `AFTER UPDATE OF caller ON callers BEGIN
  DELETE FROM changed_calls WHERE call_id IN (SELECT call_id FROM call_facts WHERE caller_id = NEW.caller_id);
  INSERT INTO changed_calls (call_id) SELECT call_id FROM call_facts WHERE caller_id = NEW.caller_id;
END`,
  mark_removed_call: `AFTER DELETE ON call_facts BEGIN ${mark("OLD")} END`,
  mark_new_spend: `AFTER INSERT ON spend BEGIN ${MARK_SPEND} END`,
  mark_changed_spend: `AFTER UPDATE ON spend BEGIN ${MARK_SPEND} END`,
  mark_removed_spend: `AFTER DELETE ON spend BEGIN ${MARK_SPEND} END`,
};

/** Starts marking changes, unless already started, and forgets the ones in all publications. */
export function beginMarks(warehouse: Warehouse): void {
  const { sqlite } = warehouse;
  const isMarked = () => findOutdated(sqlite, "TRIGGER", MARK_TRIGGERS).length === 0;
  if (isMarked()) {
    sqlite.exec(
      "DELETE FROM changed_calls WHERE change_id <= (SELECT min(change_id) FROM publications WHERE totals IS NOT NULL)",
    );
    return;
  }
  writeTransaction(warehouse, () => {
    if (isMarked()) return;
    replaceOutdated(sqlite, "TRIGGER", MARK_TRIGGERS);
    // Changes made while nothing was marked are unknown.
    sqlite.exec(MARK_SPEND);
    sqlite.exec("UPDATE publications SET totals = NULL");
  });
}

/** Returns the id of the last change, and the calls changed since an earlier one. */
export function readChanges({ db, sqlite }: Reader, since = 0): { changeId: number; ids: number[] } {
  // The sequence also counts changes that were deleted since.
  const last = sqlite
    .prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'changed_calls'")
    .pluck();
  const rows = db.select().from(changed_calls).where(gt(changed_calls.change_id, since)).all();
  return { changeId: last.get() ?? 0, ids: rows.flatMap(({ call_id }) => call_id ?? []) };
}
