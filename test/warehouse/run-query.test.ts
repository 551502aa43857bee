import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openReader } from "../../src/warehouse/file/open.ts";
import { runQuery } from "../../src/warehouse/run-query.ts";
import { draws } from "../support/draws.ts";
import { FULL_CALL, makeCall } from "../support/warehouses/calls.ts";
import { closedWarehouse } from "../support/warehouses/warehouse.ts";

const makeWarehouse = () => closedWarehouse([FULL_CALL, makeCall({ call_id: 2, utm_source: "bing" })]);

function ask(path: string, sql: string) {
  using reader = openReader(path);
  const { columns, rows } = runQuery(reader, sql);
  return { columns, rows: [...rows] };
}

/** Statements that do more than read, or try to; `%` is a file next to the warehouse. */
const ATTACKS = [
  "ATTACH '%' AS other",
  "DETACH main",
  "VACUUM",
  "VACUUM INTO '%'",
  "PRAGMA user_version = 99",
  "PRAGMA journal_mode = DELETE",
  "PRAGMA writable_schema = ON",
  "PRAGMA table_info(calls)",
  "EXPLAIN PRAGMA journal_mode = DELETE",
  "EXPLAIN VACUUM INTO '%'",
  "INSERT INTO calls (call_id) VALUES (3) RETURNING call_id",
  "UPDATE calls SET duration = 0 RETURNING call_id",
  "DELETE FROM calls RETURNING call_id",
  "WITH gone AS (SELECT 2 AS id) DELETE FROM calls WHERE call_id IN (SELECT id FROM gone) RETURNING call_id",
  "WITH x AS (SELECT 1) UPDATE calls SET duration = 0 RETURNING call_id",
  "CREATE TABLE t (a)",
  "DROP TABLE transcripts",
  "ALTER TABLE calls ADD COLUMN x",
  "ANALYZE",
  "BEGIN EXCLUSIVE",
  "SAVEPOINT s",
  "SELECT 1; DELETE FROM calls",
  "SELECT 1;; ATTACH '%' AS other",
  "SELECT 1\0; DELETE FROM calls",
  "SELECT load_extension('%')",
  "SELECT edit('%')",
  "SELECT fts3_tokenizer('simple', x'00')",
  "SELECT * FROM sqlite_dbpage",
  "SELECT * FROM pragma_wal_checkpoint",
  "SELECT ?",
  "; DELETE FROM calls",
  "",
  " -- nothing",
  "/* SELECT 1",
];

describe("runQuery", () => {
  it("returns column names, and values as stored", () => {
    using warehouse = makeWarehouse();
    const sql = `-- a comment
      /* and another */ SELECT call_id AS id, caller_id, 9007199254740993 AS big, 1.5, x'00ff' FROM calls; -- the end`;
    expect(ask(warehouse.database, sql)).toEqual({
      columns: ["id", "caller_id", "big", "1.5", "x'00ff'"],
      rows: [
        [2n, null, 9007199254740993n, 1.5, Buffer.from([0, 255])],
        [731_000_005n, "+4930123456", 9007199254740993n, 1.5, Buffer.from([0, 255])],
      ],
    });
  });

  it.each<[sql: string, column: string, values: unknown[]]>([
    ["VALUES (1), (2)", "column1", [1n, 2n]],
    ["with x as (select 1 as a) select * from x", "a", [1n]],
    ["EXPLAIN SELECT 1", "opcode", expect.arrayContaining(["Init", "ResultRow"])],
    ["EXPLAIN QUERY PLAN SELECT * FROM rollup_campaign", "detail", expect.arrayContaining(["SCAN f"])],
    ["SELECT * FROM pragma_table_info('calls')", "name", expect.arrayContaining(["call_id", "duration"])],
    ["SELECT * FROM attributed_calls ORDER BY call_id", "call_id", [2n, 731_000_005n]],
    ["SELECT * FROM rollup_channel", "calls", [1n, 1n]],
    ["SELECT ';--' AS a", "a", [";--"]],
    ["SELECT 'DELETE FROM calls; ATTACH' AS a", "a", ["DELETE FROM calls; ATTACH"]],
  ])("runs %j", (sql, column, values) => {
    using warehouse = makeWarehouse();
    const { columns, rows } = ask(warehouse.database, sql);
    expect(rows.map((row) => row[columns.indexOf(column)])).toEqual(values);
  });

  it.each(ATTACKS)("refuses %j and changes nothing", (attack) => {
    using warehouse = makeWarehouse();
    const target = join(warehouse.folder, "stolen");
    const before = readFileSync(warehouse.database);
    expect(() => ask(warehouse.database, attack.replaceAll("%", target))).toThrow(/^Cannot run this SQL: /);
    expect(readFileSync(warehouse.database).equals(before)).toBe(true);
    expect(existsSync(target)).toBe(false);
    expect(readdirSync(warehouse.folder).filter((file) => !/^calls\.db(-wal|-shm)?$/.test(file))).toEqual([]);
  });

  it("refuses them after any white space and comments", () => {
    using warehouse = makeWarehouse();
    const gap = fc
      .array(fc.constantFrom(" ", "\n", "\t", "/**/", "/* SELECT */", "-- SELECT\n", "/*/ SELECT */"))
      .map((parts) => parts.join(""));
    const verb = fc.constantFrom(
      "ATTACH ':memory:' AS",
      "PRAGMA",
      "DELETE FROM",
      "EXPLAIN PRAGMA",
      "VACUUM INTO",
    );
    const before = readFileSync(warehouse.database);
    fc.assert(
      fc.property(gap, verb, fc.boolean(), gap, (lead, words, isLower, inner) => {
        const sql = `${lead}${isLower ? words.toLowerCase() : words}${inner} calls`.replace(" ", ` ${inner}`);
        expect(() => ask(warehouse.database, sql)).toThrow(/^Cannot run this SQL: /);
      }),
      { numRuns: draws(50) },
    );
    expect(readFileSync(warehouse.database).equals(before)).toBe(true);
  });

  it.each([
    ["SELECT * FROM clls", "Did you mean calls? `calltally schema` names"],
    ["SELECT * FROM main.Rollup_Chanel", "Did you mean rollup_channel?"],
    ["SELECT utm_sorce FROM calls", "Did you mean utm_source?"],
    ['SELECT c."utm_sorce" FROM calls AS c', "Did you mean utm_source?"],
    ["SELECT c.utm_sorce FROM calls AS c", "Did you mean utm_source?"],
    ["SELECT * FROM calls_attributed", "Did you mean attributed_calls?"],
    ["SELECT first_time_caler FROM attributed_calls", "Did you mean first_time_caller?"],
    ["SELECT first_time_calers FROM rollup_campaign", "Did you mean first_time_callers?"],
    [
      "SELECT gclid FROM transcripts",
      "It is a column of calls, fact_changes, call_facts, attributed_calls, rollup_gclid.",
    ],
    [
      "SELECT day, count(*) FROM attributed_calls",
      "call_started_local has the local day and time of a call.",
    ],
    ['SELECT "Date" FROM attributed_calls', "call_started_local has the local day and time of a call."],
    ["SELECT timestamp FROM calls", "call_started has the UTC time of a call."],
    ["SELECT something_else FROM calls", "`calltally schema` names tables, views and columns."],
    ["SELECT json('{')", "Correct the SQL; `calltally schema` names tables, views and columns."],
  ])("suggests a correction for %j: %s", (sql, hint) => {
    using warehouse = makeWarehouse();
    let thrown: unknown;
    try {
      ask(warehouse.database, sql);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ exitCode: 2, hint: expect.stringContaining(hint) });
  });
});
