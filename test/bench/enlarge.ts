import Database from "better-sqlite3";
import { hashCall } from "../../src/calls/call.ts";
import { CALL_COLUMNS, type Call } from "../../src/calls/columns.ts";
import { makeCall } from "../support/warehouses/calls.ts";

/** More callers than a warehouse has before it is enlarged. */
const CALLER_STEP = 1_000_000;
/** The distance of copies by id: more than a million calls span. */
const ID_STEP = 50_000_000;
const earlier = (column: string) =>
  `cast(substr(${column}, 1, 4) - @copy AS integer) || substr(${column}, 5)`;
const other = (column: string) => `${column} || printf('%02d', @copy)`;
const below = (column: string) => `${column} - @copy * ${ID_STEP}`;

/** The differences in a copy of a row, by table; the first one is its number. */
const COPIED: Readonly<Record<string, Record<string, string>>> = {
  calls: {
    call_id: below("call_id"),
    caller_id: other("caller_id"),
    gclid: other("gclid"),
    call_started: earlier("call_started"),
  },
  callers: {
    first_call_id: below("first_call_id"),
    caller_id: `caller_id + @copy * ${CALLER_STEP}`,
    caller: other("caller"),
    first_call_started: earlier("first_call_started"),
  },
  call_facts: {
    call_id: below("call_id"),
    caller_id: `caller_id + @copy * ${CALLER_STEP}`,
    gclid: other("gclid"),
    call_started: earlier("call_started"),
  },
};

/**
 * Enlarges the warehouse of a full sync that many times, in place of hours of HTTP. Each copy is a year older, with other
 * ids, callers and clicks, and without transcripts; the sync then counts them as read.
 */
export function enlarge(file: string, times: number): void {
  const sqlite = new Database(file);
  try {
    sqlite.pragma("synchronous = OFF");
    for (const [table, copied] of Object.entries(COPIED)) {
      const columns = sqlite
        .prepare<[], string>(`SELECT name FROM pragma_table_info('${table}')`)
        .pluck()
        .all();
      const [id] = Object.keys(copied);
      const copyAll = sqlite.prepare(
        `INSERT INTO ${table} (${columns.join()}) SELECT ${columns.map((name) => copied[name] ?? name).join()}
         FROM ${table} WHERE ${id} > @above`,
      );
      const above = Number(sqlite.prepare(`SELECT min(${id}) FROM ${table}`).pluck().get()) - 1;
      for (let copy = 1; copy < times; copy++) copyAll.run({ copy, above });
    }
    rehash(sqlite);
    const calls = sqlite.prepare("SELECT count(*) FROM calls").pluck().get();
    sqlite.prepare("UPDATE counts SET value = ? WHERE name = 'calls'").run(calls);
    sqlite
      .prepare("UPDATE sync_runs SET first_total = @calls, last_total = @calls, calls_read = @calls")
      .run({ calls });
    sqlite.pragma("wal_checkpoint(TRUNCATE)");
  } finally {
    sqlite.close();
  }
}

/** Updates the hash of calls without transcripts, which `backup` checks. */
function rehash(sqlite: Database.Database): void {
  const hash = (...values: unknown[]) =>
    hashCall(
      makeCall(Object.fromEntries(CALL_COLUMNS.map((name, at) => [name, values[at]])) as Partial<Call>),
    );
  sqlite.function("hash_of", { varargs: true, deterministic: true }, hash);
  sqlite.exec(`UPDATE calls SET row_hash = hash_of(${CALL_COLUMNS.join()})
    WHERE call_id NOT IN (SELECT call_id FROM transcripts)`);
}
