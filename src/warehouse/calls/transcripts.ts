import { eq, sql } from "drizzle-orm";
import { integer, sqliteTable } from "drizzle-orm/sqlite-core";
import { pick } from "../../base/records.ts";
import { type Call, TRANSCRIPT_COLUMNS } from "../../calls/columns.ts";
import { about, describeTable } from "../described.ts";
import { prepareUpsert } from "../upsert.ts";
import type { Warehouse } from "../warehouse.ts";
import { calls, columnsOf, MEMBERS } from "./calls.ts";

export const transcripts = sqliteTable("transcripts", {
  call_id: about(
    integer()
      .primaryKey()
      .references(() => calls.call_id, { onDelete: "cascade" }),
    "The call in `calls`.",
  ),
  ...columnsOf(TRANSCRIPT_COLUMNS),
});
export const TRANSCRIPTS = describeTable(
  transcripts,
  "What was said in a call; separate from `calls`, so that rollups never read the text.",
);

/** The members of a call, for a SELECT from `calls` joined with its transcript. */
export const WHOLE_CALL = { ...MEMBERS, ...pick(transcripts, TRANSCRIPT_COLUMNS) };

export function prepareWriteTranscript(warehouse: Warehouse): (call: Call) => void {
  const upsert = prepareUpsert(warehouse, transcripts, ["call_id", ...TRANSCRIPT_COLUMNS]);
  const remove = warehouse.db
    .delete(transcripts)
    .where(eq(transcripts.call_id, sql.placeholder("call_id")))
    .prepare();
  return (call) => {
    if (hasTranscript(call)) upsert(call);
    else remove.run({ call_id: call.call_id });
  };
}

export function hasTranscript(call: Call): boolean {
  return TRANSCRIPT_COLUMNS.some((column) => call[column] !== null);
}
