import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { STAGES } from "../calls/filter.ts";
import { calls } from "./calls/calls.ts";
import { about, describeTable } from "./described.ts";

const columns = {
  outcome_id: about(integer().primaryKey({ autoIncrement: true }), "Id of the row."),
  call_id: about(
    integer()
      .notNull()
      .references(() => calls.call_id, { onDelete: "cascade" }),
    "The call that led to the job.",
  ),
  day: about(text().notNull(), "The job's local day, YYYY-MM-DD; that of the call if the file has none."),
  stage: about(text({ enum: STAGES }).notNull(), "booked, sold or lost."),
  amount_micros: about(
    integer(),
    "What the job earned, in millionths of the currency; below 0 for a refund, null if the file has no amount.",
  ),
  currency: about(text(), "ISO 4217; all amounts have the same. Null without an amount."),
  source: about(text().notNull(), "Name of the list of jobs, of `--source`.", "text"),
  job_key: about(
    text(),
    "Keyed digest of the job's id and source; null if the file has no id. A job that comes again replaces its row.",
    "digest",
  ),
  import_id: about(integer().notNull(), "The import in `outcome_imports`."),
};

export const outcomes = sqliteTable("outcomes", columns, (table) => [
  index("outcomes_call_id").on(table.call_id),
  uniqueIndex("outcomes_job_key").on(table.job_key).where(sql`${table.job_key} IS NOT NULL`),
]);
export const OUTCOMES = describeTable(
  outcomes,
  "What calls led to, one row for each imported job that has a call; the phone numbers and ids of jobs are not stored.",
);

export const outcome_imports = sqliteTable("outcome_imports", {
  import_id: about(integer().primaryKey({ autoIncrement: true }), "Id of the import."),
  imported_at: about(text().notNull(), "When it was imported, ISO 8601 UTC."),
  file: about(text().notNull(), "Name of the imported file.", "text"),
  source: about(text().notNull(), "Name of the list of jobs, of `--source`.", "text"),
  first_day: about(text(), "Earliest day of its matched jobs, YYYY-MM-DD; null if none matched."),
  last_day: about(text(), "Latest day of its matched jobs, YYYY-MM-DD."),
  jobs: about(integer().notNull(), "How many jobs it had."),
  matched: about(integer().notNull(), "How many of them had a call; outcomes has the ones that are left."),
  caller_key: about(text().notNull(), "Fingerprint of the key of `job_key`."),
  replaced_by: about(integer(), "The later import that took its last row; null while a row is left."),
  removed_at: about(text(), "When `outcome remove` removed it, ISO 8601 UTC; null if it did not."),
});
export const OUTCOME_IMPORTS = describeTable(
  outcome_imports,
  "Imports of jobs, one row for each file; their rows are in outcomes.",
);
