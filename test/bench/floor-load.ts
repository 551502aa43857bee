import { join } from "node:path";
import { Pool } from "undici";
import { attributeCall } from "../../src/calls/attribution/attribute-call.ts";
import { DEFAULT_RULES } from "../../src/calls/attribution/attribution-rules.ts";
import { hashCall } from "../../src/calls/call.ts";
import { CALL_COLUMNS, type Call, TRANSCRIPT_COLUMNS } from "../../src/calls/columns.ts";
import { parseRow } from "../../src/service/api/parse-row.ts";
import { FACT_COLUMNS } from "../../src/warehouse/calls/facts.ts";
import { openWarehouse } from "../../src/warehouse/file/open.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { Stopwatch } from "./stopwatch.ts";

// node test/bench/floor-load.ts <url> <calls>: the work of every load, in one plain program: it fetches the
// pages with undici, parses and hashes the calls, derives their facts, and inserts both, with the pragmas and order of a
// sync, and the indexes at the end. It proves and records nothing, and cannot resume.

const [url = "", calls = 0] = [process.argv[2], Number(process.argv[3])];
const LIMIT = 1000;

const marks = (columns: readonly string[]) => columns.map(() => "?").join(", ");
const insertSql = (table: string, columns: readonly string[]) =>
  `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${marks(columns)})`;

function readyRow(row: unknown) {
  const parsed = parseRow(row);
  if (!("call" in parsed)) throw new Error(`A prepared call could not be parsed: ${parsed.rejected.reason}`);
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
    facts,
  };
}

using folder = makeTempFolder();
using warehouse = openWarehouse(join(folder.path, "floor.db"));
const { sqlite } = warehouse;
const insertCall = sqlite.prepare(
  insertSql("calls", [...CALL_COLUMNS, "row_hash", "first_run_id", "changed_run_id"]),
);
const insertTranscript = sqlite.prepare(insertSql("transcripts", ["call_id", ...TRANSCRIPT_COLUMNS]));
const insertCaller = sqlite.prepare("INSERT INTO callers (caller) VALUES (?)");
const insertFacts = sqlite.prepare(insertSql("call_facts", [...FACT_COLUMNS, "changed_ms"]));
const indexes = sqlite
  .prepare<[], [name: string, sql: string]>(
    "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'call_facts' AND sql IS NOT NULL",
  )
  .raw()
  .all();

const ids = new Map<string, number>();
function idOf(caller: string): number {
  const id = ids.get(caller) ?? Number(insertCaller.run(caller).lastInsertRowid);
  ids.set(caller, id);
  return id;
}

const insert = sqlite.transaction((rows: readonly ReturnType<typeof readyRow>[]) => {
  for (const { call, transcript } of rows) {
    insertCall.run(call);
    if (transcript) insertTranscript.run(transcript);
  }
  for (const { facts } of rows) {
    const stored = { ...facts, caller_id: facts.caller === null ? null : idOf(facts.caller) };
    const values = [...FACT_COLUMNS.map((column) => stored[column]), Date.now()];
    insertFacts.run(values.map((value) => (typeof value === "boolean" ? Number(value) : value)));
  }
});

const pool = new Pool(url, { allowH2: false });

async function fetchRows(offset: number): Promise<unknown[]> {
  const path = `/v3/conversations/attribution-engine?limit=${LIMIT}&offset=${offset}`;
  const { body } = await pool.request({ method: "GET", path });
  return JSON.parse(await body.text()).data.calls;
}

async function load(): Promise<void> {
  for (const [name] of indexes) sqlite.exec(`DROP INDEX ${name}`);
  let next = fetchRows(0);
  for (let offset = 0; offset < calls; offset += LIMIT) {
    const rows = await next;
    if (offset + LIMIT < calls) next = fetchRows(offset + LIMIT);
    insert.immediate(rows.map(readyRow).sort((a, b) => a.id - b.id));
  }
  sqlite.exec(indexes.map(([, sql]) => sql).join(";"));
}

const stopwatch = new Stopwatch();
await stopwatch.time(load);
stopwatch.print();
await pool.close();
