import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { pick, recordOf } from "../../base/records.ts";
import { CALL_COLUMNS, type Call, COLUMNS, type Member } from "../../calls/columns.ts";
import { about, describeTable } from "../described.ts";

const BUILDERS = { id: () => integer().primaryKey(), number: () => integer(), text: () => text() };

type BuilderOf<Name extends Member> = (typeof BUILDERS)[null extends Call[Name]
  ? Call[Name] extends number | null
    ? "number"
    : "text"
  : "id"];

/** Returns columns for some members of a call. */
export function columnsOf<Name extends Member>(
  names: readonly Name[],
): { [N in Name]: ReturnType<BuilderOf<N>> };
export function columnsOf(names: readonly Member[]): object {
  return recordOf(names, (name) => {
    const { type, help, ...column } = COLUMNS[name];
    const isNumber = type === "integer" || type === "duration";
    const builder = BUILDERS[type === "id" ? "id" : isNumber ? "number" : "text"]();
    return about(builder, help, "personal" in column ? column.personal : undefined);
  });
}

const columns = {
  ...columnsOf(CALL_COLUMNS),
  row_hash: about(
    text().notNull(),
    "BLAKE2b hash of the call's content as stored, without the recording's signature.",
  ),
  first_run_id: about(integer().notNull(), "The run that first read this call."),
  changed_run_id: about(integer().notNull(), "The run that last read changed content."),
  missing_since: about(text(), "Start of the first verified full pass without the call, ISO 8601 UTC."),
  gone_at: about(text(), "When the call was marked as gone from the service, ISO 8601 UTC."),
  absent_since: about(text(), "Without an order key: first pass in a row without the call, ISO 8601 UTC."),
  absent_passes: about(integer(), "Number of those passes; after three over a day the call is gone."),
  unlisted_since: about(
    text(),
    "Start of the first verified full pass whose oldest call is not older: the call has left the list, as when a service lists only the last 180 days, but still counts. ISO 8601 UTC.",
  ),
  served_hash: about(
    text(),
    "Hash of the call as last served, without the recording's signature, to recognize it. Keyed if the number is not kept.",
    "digest",
  ),
  withheld: about(
    text(),
    "What is not kept of the call, among transcripts, summaries, caller_numbers, recording_urls and extra, separated by commas; null if everything is kept.",
  ),
  caller_digest: about(text(), "The `caller_hash` if the number is not kept, else null.", "digest"),
};

export const calls = sqliteTable("calls", columns, (table) => [
  index("calls_missing").on(table.gone_at).where(sql`missing_since IS NOT NULL`),
  index("calls_absent").on(table.absent_since).where(sql`absent_since IS NOT NULL`),
  index("calls_unlisted").on(table.unlisted_since).where(sql`unlisted_since IS NOT NULL`),
  index("calls_withheld").on(table.withheld).where(sql`withheld IS NOT NULL`),
]);
export const CALLS = describeTable(
  calls,
  "One attributed call (API v3 § 2.3), under the API's own names, with its texts as served: including empty ones and `(not set)`, for which `attributed_calls` has NULL.",
);

/** The members of a call in `calls`. */
export const MEMBERS = pick(calls, CALL_COLUMNS);
