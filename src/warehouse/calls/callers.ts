import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { about, describeTable } from "../described.ts";
import type { Tx } from "../transaction.ts";
import type { Warehouse } from "../warehouse.ts";

export const callers = sqliteTable("callers", {
  caller_id: about(integer().primaryKey(), "Id of the caller in this file."),
  caller: about(text().notNull().unique(), "The number as `+` and digits, or its keyed digest.", "caller"),
  first_call_id: about(
    integer(),
    "The caller's first live call: ties go to the lower id; one without a start only if there is no other. Null without a live call.",
  ),
  first_call_started: about(text(), "Start of that call, ISO 8601 UTC."),
});
export const CALLERS = describeTable(
  callers,
  "The callers of calls and of `fact_changes`, one row per caller.",
);

export const CALLER_INDEX = "callers_caller_unique";

/** Indexes callers by name, unless they are. */
export function indexCallers({ sqlite }: Warehouse): void {
  sqlite.exec(`CREATE UNIQUE INDEX IF NOT EXISTS ${CALLER_INDEX} ON callers (caller)`);
}

/** Needs the facts' index of callers. */
export function deleteUnusedCallers({ sqlite }: Tx): void {
  sqlite.exec(`DELETE FROM callers WHERE first_call_id IS NULL
    AND NOT EXISTS (SELECT 1 FROM call_facts WHERE call_facts.caller_id = callers.caller_id)
    AND caller_id NOT IN (SELECT caller_id FROM fact_changes WHERE caller_id IS NOT NULL)`);
}
