import { join } from "node:path";
import { parseRow } from "../../src/api/parse-row.ts";
import { CALL_COLUMNS, type Call, hashCall, TRANSCRIPT_COLUMNS } from "../../src/call.ts";
import { openWarehouse } from "../../src/warehouse/open.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { readPages } from "./rows.ts";
import { Stopwatch } from "./stopwatch.ts";

// node test/bench/floor-insert.ts <calls> <served|key>: inserts rows that are ready to be bound into a warehouse, by
// better-sqlite3 alone: calls and transcripts, with the pragmas and transactions of a sync, no more. In the order in which they are
// served, newest first, as one would; or each page in the order of its keys. What makes them ready is not counted.

const marks = (columns: readonly string[]) => columns.map(() => "?").join(", ");
const insertSql = (table: string, columns: readonly string[]) =>
  `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${marks(columns)})`;

function readyRow(row: unknown) {
  const parsed = parseRow(row);
  if (!("call" in parsed)) throw new Error(`A prepared call does not parse: ${parsed.rejected.reason}`);
  const { call } = parsed;
  const pick = (columns: readonly (keyof Call)[]) => columns.map((column) => call[column]);
  const texts = pick(TRANSCRIPT_COLUMNS);
  return {
    call: [...pick(CALL_COLUMNS), hashCall(call), 1, 1],
    transcript: texts.some((text) => text !== null) ? [call.call_id, ...texts] : undefined,
  };
}

using folder = makeTempFolder();
using warehouse = openWarehouse(join(folder.path, "floor.db"));
const { sqlite } = warehouse;
const insertCall = sqlite.prepare(
  insertSql("calls", [...CALL_COLUMNS, "row_hash", "first_run_id", "changed_run_id"]),
);
const insertTranscript = sqlite.prepare(insertSql("transcripts", ["call_id", ...TRANSCRIPT_COLUMNS]));

const insert = sqlite.transaction((rows: readonly ReturnType<typeof readyRow>[]) => {
  for (const { call, transcript } of rows) {
    insertCall.run(call);
    if (transcript) insertTranscript.run(transcript);
  }
});

const stopwatch = new Stopwatch();
for (const page of await readPages(Number(process.argv[2]))) {
  const served: unknown = JSON.parse(page.toString());
  const rows = Array.isArray(served) ? served.map(readyRow) : [];
  if (process.argv[3] === "key") rows.reverse();
  await stopwatch.time(() => insert.immediate(rows));
}
stopwatch.print();
