import type { Database } from "better-sqlite3";
import { expect, it } from "vitest";
import { hashCall } from "../../../src/calls/call.ts";
import { CALL_COLUMNS, type Call, TRANSCRIPT_COLUMNS } from "../../../src/calls/columns.ts";
import { FACT_COLUMNS } from "../../../src/warehouse/calls/facts.ts";
import { settleCallers } from "../../../src/warehouse/calls/first-load.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";
import { newWarehouse } from "../../support/warehouses/warehouse.ts";
import { ListedCalls, problemsOf } from "./warehouses.ts";

/**
 * Runs 1 to 3 are full passes: 60 calls, then one of them missing, then gone; run 3 has the last certificate. Runs 4 and 5 are
 * incremental, and add three calls and two.
 */
async function fill(warehouse: Warehouse): Promise<void> {
  const service = new ListedCalls(warehouse);
  await service.sync("full");
  service.calls.splice(30, 1);
  await service.sync("full");
  await service.sync("full", { hours: 8 });
  for (const added of [3, 2]) {
    for (let count = 0; count < added; count++) service.add();
    await service.sync("incremental");
  }
}

interface Forger {
  sqlite: Database;
  /** Ids of calls that the certified pass met, of the gone call, and of those that runs 4 and 5 added. */
  met: number[];
  gone: number;
  of: { 4: number[]; 5: number[] };
  run: (sql: string, ...values: unknown[]) => void;
  /** Copies a call with its transcript, adjusts its hash and facts, and counts it. */
  makeUp: (id: number, columns: Record<string, unknown>) => void;
  remove: (id: number) => void;
}

const HASHED = [...CALL_COLUMNS, ...TRANSCRIPT_COLUMNS].join(", ");

function forgerOf(warehouse: Warehouse): Forger {
  const { sqlite } = warehouse;
  const idsOf = (where: string) =>
    sqlite.prepare<[], number>(`SELECT call_id FROM calls WHERE ${where} ORDER BY 1`).pluck().all();
  const run: Forger["run"] = (sql, ...values) => void sqlite.prepare(sql).run(...values);
  const settle = () => writeTransaction(warehouse, settleCallers);
  const insertCopy = (table: string, columns: readonly string[], id: number, from: number) =>
    run(
      `INSERT INTO ${table} (call_id, ${columns.join()}) SELECT ?, ${columns.join()} FROM ${table} WHERE call_id = ?`,
      id,
      from,
    );
  const columnsOf = (table: string) =>
    sqlite
      .prepare<[], string>(`SELECT name FROM pragma_table_info('${table}') WHERE name <> 'call_id'`)
      .pluck()
      .all();
  return {
    sqlite,
    met: idsOf("first_run_id = 1 AND gone_at IS NULL"),
    gone: idsOf("gone_at IS NOT NULL")[0] ?? 0,
    of: { 4: idsOf("first_run_id = 4"), 5: idsOf("first_run_id = 5") },
    run,
    makeUp(id, columns) {
      const from = idsOf("gone_at IS NULL")[0] ?? 0;
      insertCopy("calls", columnsOf("calls"), id, from);
      for (const [name, value] of Object.entries(columns))
        run(`UPDATE calls SET ${name} = ? WHERE call_id = ?`, value, id);
      insertCopy("transcripts", TRANSCRIPT_COLUMNS, id, from);
      insertCopy("call_facts", columnsOf("call_facts"), id, from);
      run(
        "UPDATE call_facts SET is_live = (SELECT gone_at IS NULL FROM calls AS c WHERE c.call_id = call_facts.call_id) WHERE call_id = ?",
        id,
      );
      rehash(sqlite, id);
      run("UPDATE counts SET value = value + 1 WHERE name = 'calls'");
      settle();
    },
    remove(id) {
      for (const table of ["calls", "transcripts", "call_facts"])
        run(`DELETE FROM ${table} WHERE call_id = ?`, id);
      run("UPDATE counts SET value = value - 1 WHERE name = 'calls'");
      settle();
    },
  };
}

function rehash(sqlite: Database, id: number): void {
  const call = sqlite
    .prepare<[number], Call>(
      `SELECT ${HASHED.replace("call_id", "calls.call_id")} FROM calls LEFT JOIN transcripts USING (call_id) WHERE calls.call_id = ?`,
    )
    .get(id);
  if (call === undefined) throw new Error(`There is no call ${id}`);
  sqlite.prepare("UPDATE calls SET row_hash = ? WHERE call_id = ?").run(hashCall(call), id);
}

const NEW_ID = 999_000_000_001;
const MISSING = "(SELECT missing_since FROM calls WHERE missing_since IS NOT NULL)";
const FIRST = "(SELECT min(call_id) FROM transcripts WHERE transcription IS NOT NULL)";

/** SQL about the call `$met` of the certified pass, the `$gone` one, and one that a `$later` run added; or more. */
type Forge = string | ((forger: Forger) => void);

/**
 * By the line of the result that finds it: the forgery, and the text of the line. Other values of calls, facts, callers,
 * certificates and the last run are those of bit-flips.test.ts.
 */
const FORGERIES: Record<string, [forgery: string, says: RegExp, forge: Forge][]> = {
  facts: [
    [
      "a thousand facts without a call",
      /1,000 calls have facts, but no content/,
      ({ run, met }) => {
        const columns = FACT_COLUMNS.filter((name) => name !== "call_id" && name !== "is_first_call").join();
        run(
          `WITH RECURSIVE ids (id) AS (VALUES (${NEW_ID}) UNION ALL SELECT id + 1 FROM ids LIMIT 1000)
          INSERT INTO call_facts (call_id, is_first_call, changed_ms, ${columns})
            SELECT id, 0, 0, ${columns} FROM ids, call_facts WHERE call_id = ?`,
          met[0],
        );
      },
    ],
    ["a call without facts", /other facts/, "DELETE FROM call_facts WHERE call_id = $met"],
    [
      "a live call left out of the figures",
      /other facts/,
      "UPDATE call_facts SET is_live = 0 WHERE call_id = $met",
    ],
    [
      "a first call that is gone",
      /other facts/,
      "UPDATE call_facts SET is_first_call = 1 WHERE call_id = $gone",
    ],
    ["a caller who never called", /other facts/, "INSERT INTO callers VALUES (99, '+15550001111', 1, NULL)"],
    [
      "a caller left out",
      /other facts/,
      ({ sqlite }) => {
        sqlite.pragma("foreign_keys = OFF");
        sqlite.exec("DELETE FROM callers WHERE caller = (SELECT min(caller) FROM callers)");
      },
    ],
    [
      "first calls that count as not settled",
      /not settled/,
      "INSERT INTO counts VALUES ('unsettled_calls', 1)",
    ],
  ],
  views: [
    [
      "a view with other figures",
      /rollup_channel/,
      ({ run, sqlite }) => {
        run("DROP VIEW rollup_channel");
        sqlite.exec("CREATE VIEW rollup_channel AS SELECT 'Email' AS channel, 1 AS calls");
      },
    ],
    ["a view left out", /attributed_calls/, "DROP VIEW attributed_calls"],
    [
      "another time zone of local days",
      /zone_offsets/,
      "DROP VIEW zone_offsets; CREATE VIEW zone_offsets AS SELECT '' AS starts_at, 3600 AS offset_seconds",
    ],
    [
      "a foreign trigger",
      /doubled/,
      "CREATE TRIGGER doubled AFTER INSERT ON calls BEGIN UPDATE call_facts SET duration = 2 * duration; END",
    ],
    [
      "a trigger of the log alone, with another text",
      /fact_is_new/,
      "CREATE TRIGGER fact_is_new AFTER INSERT ON call_facts BEGIN SELECT 1; END",
    ],
  ],
  runs: [
    [
      "a call of the pass set to gone, at the time of an earlier run",
      /by no later run/,
      ({ run, met }) => setGone(run, met[0], "(SELECT first_page_at FROM sync_runs WHERE run_id = 3)"),
    ],
    [
      "a call of the pass set to gone, at another time",
      /that no run recorded/,
      ({ run, met }) => setGone(run, met[0], "'2026-11-02T12:00:00.000Z'"),
    ],
    [
      "a call of the pass set to missing",
      /by no later run/,
      `UPDATE calls SET missing_since = ${MISSING} WHERE call_id = $met`,
    ],
    [
      "a call of a later run set to gone",
      /run 3 marked 1 call as gone, and 2/,
      ({ run, of }) => setGone(run, of[5][0], "(SELECT first_page_at FROM sync_runs WHERE run_id = 3)"),
    ],
    [
      "a gone call that counts again",
      /1 call marked as gone count again/,
      ({ run, gone }) => {
        run("UPDATE calls SET gone_at = NULL, missing_since = NULL WHERE call_id = ?", gone);
        run("UPDATE call_facts SET is_live = 1 WHERE call_id = ?", gone);
      },
    ],
    [
      "a made-up call",
      /run 1 added 60 calls, and 61 are/,
      ({ makeUp }) => makeUp(NEW_ID, { first_run_id: 1 }),
    ],
    [
      "a made-up call, marked as missing",
      /run 2 added 0 calls, and 1 are/,
      ({ makeUp, sqlite }) =>
        makeUp(NEW_ID, {
          first_run_id: 2,
          changed_run_id: 2,
          missing_since: sqlite.prepare(`SELECT ${MISSING}`).pluck().get(),
        }),
    ],
    [
      "a made-up call, marked as unlisted",
      /run 3 marked 0 calls as unlisted, and 1/,
      ({ makeUp, sqlite }) =>
        makeUp(NEW_ID, {
          unlisted_since: sqlite
            .prepare("SELECT first_page_at FROM sync_runs WHERE run_id = 3")
            .pluck()
            .get(),
        }),
    ],
    [
      "a made-up call of a run that never was",
      /that no run recorded/,
      ({ makeUp }) => makeUp(NEW_ID, { first_run_id: 99, changed_run_id: 99 }),
    ],
    [
      "a made-up call that rows count",
      /65 calls are counted, and 66/,
      ({ makeUp, run }) => {
        makeUp(NEW_ID, {});
        run("UPDATE counts SET value = value - 1 WHERE name = 'calls'");
      },
    ],
    [
      "a call of the pass that would be a rejected row",
      /run 1 added 60 calls, and 59/,
      ({ remove, run, met }) => {
        remove(met[0] ?? 0);
        run(
          "INSERT INTO rejected_calls SELECT 'id:' || id, id, '{}', 'duration', 'no number', 3, 3 FROM (SELECT ? AS id)",
          met[0],
        );
      },
    ],
    [
      "a call of a later run left out",
      /run 5 added 2 calls, and 1/,
      ({ remove, of }) => remove(of[5][0] ?? 0),
    ],
    [
      "a call of a later run replaced by another",
      /run 5 added other calls/,
      ({ remove, makeUp, of }) => {
        makeUp(NEW_ID, { first_run_id: 5, changed_run_id: 5 });
        remove(of[5][0] ?? 0);
      },
    ],
    [
      "a call moved from one later run to another",
      /run 4 added 3 calls, and 4.*run 5 added 2 calls, and 1/,
      "UPDATE calls SET first_run_id = 4, changed_run_id = 4 WHERE call_id = $later",
    ],
    [
      "calls of two later runs exchanged",
      /run 4 added other calls.*run 5 added other calls/,
      ({ run, of }) => {
        run("UPDATE calls SET first_run_id = 4, changed_run_id = 4 WHERE call_id = ?", of[5][0]);
        run("UPDATE calls SET first_run_id = 5, changed_run_id = 5 WHERE call_id = ?", of[4][0]);
      },
    ],
    [
      "a change that no run read",
      /run 4 changed 0 calls, and 1/,
      "UPDATE calls SET changed_run_id = 4 WHERE call_id = $met",
    ],
    [
      "another start of the certified run",
      /run 3 is not/,
      "UPDATE sync_runs SET started_at = '2026-11-01T00:00:00.000Z' WHERE run_id = 3",
    ],
    [
      "a later run that would have failed",
      /run 5 is not/,
      "UPDATE sync_runs SET status = 'failed' WHERE run_id = 5",
    ],
    [
      "a later run left out with its calls",
      /of 5 runs, 1 are missing/,
      ({ run, remove, of }) => {
        for (const id of of[5]) remove(id);
        run("DELETE FROM sync_runs WHERE run_id = 5");
      },
    ],
    [
      "a made-up run",
      /run 6 is not recorded as it ended/,
      "INSERT INTO sync_runs (started_at, finished_at, mode, status, verdict) VALUES ('2026-11-03T00:00:00.000Z', '2026-11-03T00:00:01.000Z', 'full', 'done', 'exact')",
    ],
  ],
  calls: [
    ["a call of the pass left out", /1 call of the pass are not/, ({ remove, met }) => remove(met[0] ?? 0)],
    [
      "a call of the pass replaced by another",
      /1 call of the pass are not/,
      ({ remove, makeUp, met }) => {
        makeUp(NEW_ID, { first_run_id: 1 });
        remove(met[3] ?? 0);
      },
    ],
  ],
  contents: [
    [
      "transcripts that would not be kept, of a call whose transcript is there",
      /recorded as not kept/,
      `UPDATE calls SET withheld = 'transcripts' WHERE call_id = ${FIRST}`,
    ],
    [
      "a number that would not be kept, of a call whose number is there",
      /recorded as not kept/,
      "UPDATE calls SET withheld = 'caller_numbers' WHERE call_id = $met",
    ],
  ],
  run: [
    [
      "another time of the certificate",
      /another finished_at/,
      "UPDATE certificates SET made_at = '2026-11-01T00:00:00.000Z'",
    ],
    [
      "the certificate as that of another run",
      /another run_id, verdict/,
      "UPDATE certificates SET run_id = 5 WHERE run_id = 3",
    ],
  ],
};

const withIds = (sql: string, { met, gone, of }: Forger) =>
  sql
    .replaceAll("$met", String(met[0]))
    .replaceAll("$gone", String(gone))
    .replaceAll("$later", String(of[5][0]));

function setGone(run: Forger["run"], id: number | undefined, at: string): void {
  run(`UPDATE calls SET gone_at = ${at}, missing_since = ${at} WHERE call_id = ?`, id);
  run("UPDATE call_facts SET is_live = 0 WHERE call_id = ?", id);
}

it("verify finds no problem in the warehouse before it is forged", async () => {
  using warehouse = newWarehouse();
  await fill(warehouse);
  const { met, of } = forgerOf(warehouse);
  expect([met.length, of[4].length, of[5].length]).toEqual([59, 3, 2]);
  expect(await problemsOf(warehouse)).toEqual([]);
});

it("verify finds each forgery and names the problem", async () => {
  using warehouse = newWarehouse();
  await fill(warehouse);
  const { sqlite } = warehouse;
  sqlite.pragma("foreign_keys = OFF");
  const found: unknown[] = [];
  const all = Object.entries(FORGERIES).flatMap(([line, rows]) => rows.map((row) => [line, ...row] as const));
  expect(all.length).toBeGreaterThan(30);
  for (const [line, forgery, says, forge] of all) {
    sqlite.exec("BEGIN");
    const forger = forgerOf(warehouse);
    if (typeof forge === "function") forge(forger);
    else sqlite.exec(withIds(forge, forger));
    const problems = await problemsOf(warehouse);
    sqlite.exec("ROLLBACK");
    const finding = problems.find(({ name }) => name === line)?.message ?? "";
    if (!says.test(finding)) found.push({ forgery, line, problems });
  }
  expect(found).toEqual([]);
});
