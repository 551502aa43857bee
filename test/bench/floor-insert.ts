import { join } from "node:path";
import { parseRow } from "../../src/api/parse-row.ts";
import { attributeCall } from "../../src/attribution/attribute-call.ts";
import { DEFAULT_RULES } from "../../src/attribution/attribution-rules.ts";
import { CALL_COLUMNS, type Call, hashCall, TRANSCRIPT_COLUMNS } from "../../src/call.ts";
import { FACT_COLUMNS } from "../../src/warehouse/calls/facts.ts";
import { openWarehouse } from "../../src/warehouse/open.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { readPages } from "./rows.ts";
import { Stopwatch } from "./stopwatch.ts";

// node test/bench/floor-insert.ts <calls>: inserts rows that are ready to be bound into a warehouse, by better-sqlite3 alone:
// calls, transcripts and facts, with the pragmas, transactions and order of a sync, and the indexes of the facts at the end.
// What makes the rows ready is not counted.

const marks = (columns: readonly string[]) => columns.map(() => "?").join(", ");
const insertSql = (table: string, columns: readonly string[]) =>
  `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${marks(columns)})`;

function readyRow(row: unknown) {
  const parsed = parseRow(row);
  if (!("call" in parsed)) throw new Error(`A prepared call does not parse: ${parsed.rejected.reason}`);
  const { call } = parsed;
  const pick = (columns: readonly (keyof Call)[]) => columns.map((column) => call[column]);
  const texts = pick(TRANSCRIPT_COLUMNS);
  const facts = {
    ...attributeCall(call, DEFAULT_RULES),
    call_id: call.call_id,
    is_live: true,
    is_first_call: false,
  };
  return {
    id: call.call_id,
    call: [...pick(CALL_COLUMNS), hashCall(call), 1, 1],
    transcript: texts.some((text) => text !== null) ? [call.call_id, ...texts] : undefined,
    facts: FACT_COLUMNS.map((column) => facts[column]).map((value) =>
      typeof value === "boolean" ? Number(value) : value,
    ),
  };
}

using folder = makeTempFolder();
using warehouse = openWarehouse(join(folder.path, "floor.db"));
const { sqlite } = warehouse;
const insertCall = sqlite.prepare(
  insertSql("calls", [...CALL_COLUMNS, "row_hash", "first_run_id", "changed_run_id"]),
);
const insertTranscript = sqlite.prepare(insertSql("transcripts", ["call_id", ...TRANSCRIPT_COLUMNS]));
const insertFacts = sqlite.prepare(insertSql("call_facts", FACT_COLUMNS));
const indexes = sqlite
  .prepare<[], [name: string, sql: string]>(
    "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'call_facts' AND sql IS NOT NULL",
  )
  .raw()
  .all();

const insert = sqlite.transaction((rows: readonly ReturnType<typeof readyRow>[]) => {
  for (const { call, transcript } of rows) {
    insertCall.run(call);
    if (transcript) insertTranscript.run(transcript);
  }
  for (const { facts } of rows) insertFacts.run(facts);
});

const stopwatch = new Stopwatch();
for (const [name] of indexes) sqlite.exec(`DROP INDEX ${name}`);
for (const page of await readPages(Number(process.argv[2]))) {
  const served: unknown = JSON.parse(page.toString());
  const rows = Array.isArray(served) ? served.map(readyRow).sort((a, b) => a.id - b.id) : [];
  await stopwatch.time(() => insert.immediate(rows));
}
await stopwatch.time(() => sqlite.exec(indexes.map(([, sql]) => sql).join(";")));
stopwatch.print();
