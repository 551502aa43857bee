import { copyFileSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import { hashCall } from "../../../src/calls/call.ts";
import type { Call } from "../../../src/calls/columns.ts";
import { forgetAgain, forgetCallers } from "../../../src/operate/forget/forget-callers.ts";
import { TABLES } from "../../../src/operate/schema/schema.ts";
import { findDamagedCalls } from "../../../src/warehouse/attribution/check-calls.ts";
import { keepingAll } from "../../../src/warehouse/calls/call-guard.ts";
import { prepareUpsertCalls } from "../../../src/warehouse/calls/call-table.ts";
import { openCallerHash } from "../../../src/warehouse/calls/caller-hash.ts";
import { callerKeyOf } from "../../../src/warehouse/calls/caller-key.ts";
import { CALLS as CALLS_TABLE } from "../../../src/warehouse/calls/calls.ts";
import { recordDrift } from "../../../src/warehouse/calls/drift.ts";
import { readFactLog } from "../../../src/warehouse/calls/fact-log.ts";
import { settleCallers } from "../../../src/warehouse/calls/first-load.ts";
import { openForgotten, readForgotten } from "../../../src/warehouse/calls/forgotten-callers.ts";
import { recordRejected } from "../../../src/warehouse/calls/rejected.ts";
import { TRANSCRIPTS } from "../../../src/warehouse/calls/transcripts.ts";
import { type PersonalKind, personalColumns } from "../../../src/warehouse/described.ts";
import { openWarehouse } from "../../../src/warehouse/file/open.ts";
import { readPrivacyActs } from "../../../src/warehouse/privacy-act-table.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";
import { FULL_CALL, makeCall } from "../../support/warehouses/calls.ts";
import { logFacts } from "../../support/warehouses/log-facts.ts";
import { locked, newWarehouse, pruneTo, setRules, storeCalls } from "../../support/warehouses/warehouse.ts";
import { findChanges } from "../../warehouse/table-changes.ts";

const NOW = "2026-11-20T12:00:00.000Z";
const ADA = "+4930123456";
const BOB = "+12145550123";
/** Two numbers: another caller than each of them. */
const BOTH = `${ADA} or +4930777777`;
/** Kinds that forget does not change. */
const STAYING: readonly PersonalKind[] = ["digest", "recipient"];
const NO_COUNTS = { callers: 0, calls: 0, transcripts: 0, rejected_rows: 0, texts: 0 };

const CALLS: readonly Call[] = [
  { ...FULL_CALL, call_id: 1, referring_url: "https://www.example.com/?phone=030123456" },
  makeCall({ call_id: 2, caller_id: "0049 30 123456", call_started: "2026-09-01T00:00:00.000Z" }),
  makeCall({ call_id: 3, caller_id: BOB, transcription: "Call Ada at 030 123456.", summary: "Ada." }),
  makeCall({ call_id: 4, caller_id: BOB, transcription: "Never mind.", utm_source: "google" }),
  makeCall({ call_id: 5, caller_id: BOTH }),
  makeCall({ call_id: 6, caller_id: BOB, utm_term: "+49 30 123456" }),
];

/** A warehouse with these calls. */
function open(calls: readonly Call[] = CALLS, rules = DEFAULT_RULES, { isFirstLoad = false } = {}) {
  const warehouse = newWarehouse();
  setRules(warehouse, rules);
  upsert(warehouse, calls, isFirstLoad);
  return warehouse;
}

function upsert(warehouse: Warehouse, calls: readonly Call[], isFirstLoad = false): void {
  writeTransaction(warehouse, (tx) => {
    const keeping = keepingAll(warehouse);
    return prepareUpsertCalls(warehouse, 1, { keeping, isFirstLoad })(tx, calls);
  });
}

/** Adds a row of which only these columns matter; returns its number. */
function insert({ sqlite }: Warehouse, table: string, row: Record<string, string | number>): number {
  const columns = sqlite
    .prepare<[], { name: string; type: string; notnull: number; dflt_value: string | null; pk: number }>(
      `PRAGMA table_info(${table})`,
    )
    .all();
  const needed: Record<string, string | number> = {};
  const isAlone = columns.filter(({ pk }) => pk > 0).length === 1;
  for (const { name, type, notnull, dflt_value, pk } of columns) {
    if (notnull === 1 && dflt_value === null && !(pk === 1 && type.toLowerCase() === "integer" && isAlone))
      needed[name] = type.toLowerCase() === "text" ? "" : 0;
  }
  const all = { ...needed, ...row };
  const names = Object.keys(all);
  sqlite.pragma("foreign_keys = OFF");
  const { lastInsertRowid } = sqlite
    .prepare(`INSERT INTO ${table} (${names.map((name) => `"${name}"`)}) VALUES (${names.map(() => "?")})`)
    .run(Object.values(all));
  sqlite.pragma("foreign_keys = ON");
  return Number(lastInsertRowid);
}

const forget = (
  warehouse: Warehouse,
  callers: readonly string[],
  options: { nowMs?: number; isUnknownAllowed?: boolean } = {},
) =>
  forgetCallers(
    locked(warehouse),
    callers.map((caller) => ({ caller })),
    { nowMs: Date.parse(NOW), ...options },
  );

const read = ({ sqlite }: Warehouse, query: string) =>
  sqlite.prepare<[], Record<string, unknown>>(query).all();

const FACTS =
  "SELECT call_id, caller, is_first_call FROM call_facts LEFT JOIN callers USING (caller_id) ORDER BY call_id";
const CALLERS = "SELECT * FROM callers ORDER BY first_call_id";

describe("forgetCallers", () => {
  it("removes personal data of a caller from all tables, and changes nothing else", async () => {
    using warehouse = open();
    const rejected = [
      { call_id: 9, json: `{"caller_id":"${ADA}"}`, path: "a.030123456", reason: "no integer" },
      { call_id: null, json: '{"caller_id":"+49 30 123456"}', path: "b", reason: "no integer" },
      { call_id: 10, json: `{"caller_id":"${BOB}"}`, path: "a", reason: "no integer" },
    ];
    recordRejected(warehouse, rejected, 1, keepingAll(warehouse));
    insert(warehouse, "publications", { target: "a", totals: '{"1":"x"}' });
    warehouse.sqlite.pragma("secure_delete = OFF");
    let outcome: ReturnType<typeof forget> | undefined;
    const changes = findChanges(warehouse, () => {
      outcome = forget(warehouse, [ADA]);
    });
    const [tombstone] = readForgotten(warehouse);
    const pseudonym = tombstone?.pseudonym ?? "";
    const other = openForgotten(warehouse)?.pseudonymOfId(BOTH);
    expect(outcome).toEqual({
      counts: { callers: 1, calls: 5, transcripts: 2, rejected_rows: 2, texts: 0 },
      unknown: [],
      callers: [ADA],
      spellings: [ADA, "0049 30 123456", BOTH],
      pseudonyms: [pseudonym],
      newKey: callerKeyOf(warehouse.path),
    });
    expect(pseudonym).toMatch(/^forgotten[\da-f]{16}$/);
    const text = expect.any(String);
    const row = { row_hash: [text, text], served_hash: [text, null] };
    expect(changes).toEqual({
      calls: {
        1: {
          ...row,
          caller_id: [ADA, pseudonym],
          recording_url: [FULL_CALL.recording_url, null],
          google_analytics_cid: ["123.456", null],
          referring_url: ["https://www.example.com/?phone=030123456", "https://www.example.com/"],
          extra: ['{"score":3}', null],
        },
        2: { ...row, caller_id: ["0049 30 123456", pseudonym] },
        3: row,
        5: { ...row, caller_id: [BOTH, other] },
        6: { ...row, utm_term: ["+49 30 123456", "+99 99 999999"] },
      },
      transcripts: { 1: null, 3: { transcription: ["Call Ada at 030 123456.", "Call Ada at 999 999999."] } },
      call_facts: {
        6: { utm_term_folded: ["+49 30 123456", "+99 99 999999"] },
      },
      callers: {
        [changedRow(changes.callers, pseudonym)]: { caller: [ADA, pseudonym] },
        [changedRow(changes.callers, other)]: { caller: ["4930123456or4930777777", other] },
      },
      rejected_calls: {
        1: { json: [`{"caller_id":"${ADA}"}`, "{}"], path: ["a.030123456", "a.999999999"] },
        2: {
          json: ['{"caller_id":"+49 30 123456"}', "{}"],
          row_key: [expect.stringMatching(/^sha256:/), expect.stringMatching(/^hmac:/)],
        },
      },
      publications: { 1: { totals: ['{"1":"x"}', null] } },
      forgotten_callers: {
        1: {
          digest: text,
          national_digest: text,
          pseudonym,
          key_mark: expect.stringMatching(/^[\da-f]{16}$/),
          forgotten_at: NOW,
          calls: 2,
        },
      },
      privacy_acts: {
        1: {
          act_id: 1,
          at: NOW,
          act: "forget",
          counts: JSON.stringify({ callers: 1, calls: 5, transcripts: 2, rejected_rows: 2, texts: 0 }),
          erased_at: null,
        },
      },
    });
    expect(await findDamagedCalls(warehouse)).toEqual([]);
    expect(warehouse.sqlite.pragma("secure_delete", { simple: true })).toBe(1);
  });

  it("forgets a caller once, and also in calls that return", () => {
    using warehouse = open();
    const first = forget(warehouse, [ADA, ADA, BOB]);
    expect([first.counts.callers, first.callers, first.pseudonyms.length]).toEqual([2, [ADA, ADA, BOB], 2]);
    let again: typeof first | undefined;
    expect(findChanges(warehouse, () => (again = forget(warehouse, [BOB])))).toEqual({});
    const [, bob] = readForgotten(warehouse);
    expect(again).toEqual({
      counts: NO_COUNTS,
      unknown: [],
      callers: [BOB],
      spellings: [],
      pseudonyms: [bob?.pseudonym],
      newKey: undefined,
    });
    upsert(warehouse, [makeCall({ call_id: 70, caller_id: BOB, summary: "A tap." })]);
    expect(read(warehouse, "SELECT call_id, caller_id FROM calls WHERE call_id = 70")).toEqual([
      { call_id: 70, caller_id: bob?.pseudonym },
    ]);
    // A text added meanwhile is masked by the next one.
    insert(warehouse, "jobs", { job: "sync", error: `no ${ADA}` });
    expect(forget(warehouse, [BOB]).counts).toEqual({ ...NO_COUNTS, texts: 1 });
    expect(readPrivacyActs(warehouse).map(({ counts }) => counts)).toEqual([
      first.counts,
      { ...NO_COUNTS, texts: 1 },
    ]);
  });

  it("only creates a key if a caller is unknown; blocks unknown callers if allowed", () => {
    using warehouse = open();
    const stranger = "+4930999999";
    let outcome: ReturnType<typeof forget> | undefined;
    expect(
      findChanges(warehouse, () => (outcome = forget(warehouse, [ADA, stranger, "+49301111111"]))),
    ).toEqual({});
    expect(outcome?.unknown).toEqual([1, 2]);
    expect(outcome?.newKey).toBe(callerKeyOf(warehouse.path));
    const allowed = forget(warehouse, [stranger], { isUnknownAllowed: true });
    expect([allowed.counts, allowed.unknown]).toEqual([{ ...NO_COUNTS, callers: 1 }, [0]]);
    expect(readForgotten(warehouse)).toMatchObject([{ calls: 0, forgotten_at: NOW }]);
    expect(readPrivacyActs(warehouse)).toMatchObject([{ act: "forget", counts: { callers: 1 } }]);
    // Now the stranger is known.
    expect(forget(warehouse, [ADA, stranger]).unknown).toEqual([]);
  });

  it("finds a caller who is only named in a text", () => {
    using warehouse = open();
    insert(warehouse, "jobs", { job: "sync", error: "no 030 999999" });
    const outcome = forget(warehouse, ["+4930999999"]);
    expect([outcome.unknown, outcome.counts]).toEqual([[], { ...NO_COUNTS, callers: 1, texts: 1 }]);
  });

  it("accepts the hash of an exported file for a caller whose number is stored", () => {
    using warehouse = open();
    const { hash } = openCallerHash(warehouse.path);
    const whom = [{ callerHash: hash(ADA) }, { callerHash: "f".repeat(64) }];
    const options = { nowMs: Date.parse(NOW) };
    expect(forgetCallers(locked(warehouse), whom, options).unknown).toEqual([1]);
    const outcome = forgetCallers(locked(warehouse), whom.slice(0, 1), options);
    expect([outcome.callers, outcome.counts.callers, outcome.counts.calls]).toEqual([[ADA], 1, 5]);
    // The number in its national form is masked as well.
    expect(readForgotten(warehouse)[0]?.national_digest).toMatch(/./);
    const again = forgetCallers(locked(warehouse), whom.slice(0, 1), options);
    expect([again.callers, again.unknown, again.counts]).toEqual([[], [], NO_COUNTS]);
  });

  it("renames callers identified by digests, whether their numbers are stored or not", async () => {
    using warehouse = open(CALLS, { ...DEFAULT_RULES, caller_digests: true });
    const { hash } = openCallerHash(warehouse.path);
    const nowMs = Date.parse(NOW);
    await pruneTo(warehouse, { caller_numbers: 70 }, nowMs);
    const numbers = () =>
      read(warehouse, "SELECT caller_id, withheld, caller_digest FROM calls WHERE call_id < 3");
    expect(numbers()).toEqual([
      { caller_id: ADA, withheld: "extra", caller_digest: null },
      { caller_id: null, withheld: "caller_numbers", caller_digest: hash(ADA) },
    ]);
    const before = read(warehouse, FACTS);
    const callersBefore = read(warehouse, CALLERS);
    const outcome = forget(warehouse, [ADA]);
    const [pseudonym = ""] = outcome.pseudonyms;
    expect(outcome.spellings).toEqual([ADA, BOTH]);
    const other = openForgotten(warehouse)?.pseudonymOfId(BOTH);
    expect(numbers()).toEqual(Array(2).fill({ caller_id: pseudonym, withheld: null, caller_digest: null }));
    const names = new Map([
      [hash(ADA), pseudonym],
      [hash("4930123456or4930777777"), other],
    ]);
    const rename = (rows: object[]) =>
      rows.map((row) => {
        const { caller } = { caller: null, ...row } as { caller: string | null };
        return { ...row, caller: names.get(caller ?? "") ?? caller };
      });
    expect(read(warehouse, FACTS)).toEqual(rename(before));
    expect(read(warehouse, CALLERS)).toEqual(rename(callersBefore));
    expect(readForgotten(warehouse)).toMatchObject([{ calls: 2 }]);
    // A caller whose numbers are all removed is found by the hash.
    using gone = open([makeCall({ call_id: 1, caller_id: ADA })], { ...DEFAULT_RULES, caller_digests: true });
    await pruneTo(gone, { caller_numbers: "never" }, nowMs);
    const { hash: toHash } = openCallerHash(gone.path);
    const byHash = forgetCallers(locked(gone), [{ callerHash: toHash(ADA) }], { nowMs });
    expect([byHash.callers, byHash.unknown, byHash.counts.calls]).toEqual([[], [], 1]);
    expect(readForgotten(gone)).toMatchObject([{ national_digest: null, calls: 1 }]);
    expect(read(gone, CALLERS)).toMatchObject([{ caller: byHash.pseudonyms[0], first_call_id: 1 }]);
  });

  it("does not change withheld values of others' calls that name a caller", async () => {
    using warehouse = open([{ ...FULL_CALL, call_id: 1, caller_id: BOB, disposition: "030 123456" }], {
      ...DEFAULT_RULES,
      caller_digests: true,
    });
    await pruneTo(warehouse, { caller_numbers: "never" }, Date.parse(NOW));
    const { hash } = openCallerHash(warehouse.path);
    forget(warehouse, [ADA]);
    expect(read(warehouse, "SELECT disposition, withheld, caller_digest FROM calls")).toEqual([
      { disposition: "999 999999", withheld: "caller_numbers,extra", caller_digest: hash(BOB) },
    ]);
  });

  it("keeps only names, types and click ids of undocumented members, in all calls, rows and drift", () => {
    const extra = '{"callback":"020 7654321","dni_data":{"msclkid":"ab12"}}';
    const types = '{"callback":{"type":"string"},"dni_data":{"msclkid":{"type":"string"}},"msclkid":"ab12"}';
    const ofBob = makeCall({ call_id: 2, caller_id: BOB, extra });
    using warehouse = open([makeCall({ call_id: 1, caller_id: ADA }), ofBob]);
    const json = `{"call_id":9,"caller_id":"${BOB}","note":"She said so."}`;
    const row = { call_id: 9, json, path: "duration", reason: "no integer" };
    const drift = { kind: "unknown", json_type: "string", first_run_id: 1, first_seen_at: NOW } as const;
    recordRejected(warehouse, [row], 1, keepingAll(warehouse));
    recordDrift(warehouse, [{ ...drift, path: "She said so." }], keepingAll(warehouse));
    const outcome = forget(warehouse, [ADA]);
    // They are not of the caller, and not counted.
    expect(outcome.counts).toEqual({ callers: 1, calls: 1, transcripts: 0, rejected_rows: 0, texts: 0 });
    const written = () => [
      read(warehouse, "SELECT extra, served_hash, withheld FROM calls WHERE call_id = 2"),
      read(warehouse, "SELECT json FROM rejected_calls"),
      read(warehouse, "SELECT path FROM schema_drift"),
    ];
    const left = [
      [{ extra: types, served_hash: hashCall(ofBob), withheld: "extra" }],
      [{ json: `{"call_id":9,"caller_id":"${BOB}","note":{"type":"string"}}` }],
      [{ path: "[name]" }],
    ];
    expect(written()).toEqual(left);
    // When served again, it is the same call, and nothing of it comes back.
    const again = storeCalls(warehouse, [ofBob], { runId: 2 });
    recordRejected(warehouse, [row], 2, keepingAll(warehouse));
    expect(again).toMatchObject({ newIds: new Set(), changed: 0 });
    expect(written()).toEqual(left);
  });

  it.each([250, 251, 500, 520])("reads all of %i calls, starting at the least id", (count) => {
    const calls = Array.from({ length: count }, (_, index) =>
      makeCall({
        call_id: index === 0 ? Number.MIN_SAFE_INTEGER : index,
        caller_id: index % 125 === 0 || index === count - 1 ? ADA : `+4930${7_000_000 + (index % 9)}`,
      }),
    );
    using warehouse = open(calls);
    const own = calls.filter(({ caller_id }) => caller_id === ADA).length;
    expect(forget(warehouse, [ADA]).counts).toEqual({ ...NO_COUNTS, callers: 1, calls: own });
    expect(readForgotten(warehouse)).toMatchObject([{ calls: own }]);
  });

  it("keeps the callers of an unfinished first load", () => {
    const settle = (work: (warehouse: Warehouse) => void) => {
      using warehouse = open(CALLS, DEFAULT_RULES, { isFirstLoad: true });
      work(warehouse);
      writeTransaction(warehouse, (tx) => settleCallers(tx));
      return [...read(warehouse, FACTS), ...read(warehouse, "SELECT first_call_id FROM callers ORDER BY 1")];
    };
    const names: string[] = [];
    const forgotten = settle((warehouse) => names.push(...forget(warehouse, [ADA]).pseudonyms));
    const nobody = settle(() => undefined);
    const [name = ""] = names;
    expect(
      JSON.stringify(forgotten)
        .replaceAll(name, ADA)
        .replace(/forgotten[\da-f]{16}/, "4930123456or4930777777"),
    ).toEqual(JSON.stringify(nobody));
  });

  it("logs no change of facts, and removes names from the log", () => {
    using warehouse = open();
    const log = logFacts(warehouse);
    upsert(warehouse, [makeCall({ call_id: 2, caller_id: BOB, call_started: "2026-09-01T00:00:00.000Z" })]);
    const changes = () =>
      read(
        warehouse,
        "SELECT call_id, reason, caller FROM fact_changes LEFT JOIN callers USING (caller_id) ORDER BY change_id",
      );
    const before = changes();
    expect(before).toContainEqual({ call_id: 2, reason: "corrected", caller: ADA });
    const [pseudonym = ""] = forget(warehouse, [ADA]).pseudonyms;
    expect(changes()).toEqual(JSON.parse(JSON.stringify(before).replaceAll(ADA, pseudonym)));
    expect(readFactLog(warehouse)).toBe(log);
  });

  it("uses the existing key, and creates none in place of a missing one", () => {
    for (const rules of [DEFAULT_RULES, { ...DEFAULT_RULES, caller_digests: true }]) {
      using warehouse = open(CALLS, rules);
      if (!rules.caller_digests) forget(warehouse, [BOB]);
      rmSync(callerKeyOf(warehouse.path));
      expect(findChanges(warehouse, () => expect(() => forget(warehouse, [ADA])).toThrow(/the key/))).toEqual(
        {},
      );
      expect(existsSync(callerKeyOf(warehouse.path))).toBe(false);
    }
  });

  it("rethrows an error and changes nothing", () => {
    using warehouse = open();
    warehouse.sqlite.exec(
      "CREATE TRIGGER no BEFORE UPDATE ON calls WHEN OLD.call_id = 6 BEGIN SELECT RAISE(ABORT, 'not now'); END",
    );
    expect(findChanges(warehouse, () => expect(() => forget(warehouse, [ADA])).toThrow("not now"))).toEqual(
      {},
    );
  });
});

describe("forgetCallers and personal columns", () => {
  it("leaves the number in no column except called numbers, digests and addresses of recipients", () => {
    const text = JSON.stringify([ADA]);
    const named = Object.fromEntries(
      [CALLS_TABLE, TRANSCRIPTS].flatMap(({ columns }) =>
        columns.flatMap(({ name, personal }) => (personal && personal !== "digest" ? [[name, text]] : [])),
      ),
    );
    const call = {
      ...makeCall(),
      ...named,
      referring_url: "https://030123456.example.com/",
      extra: `{"said":"${ADA}"}`,
    };
    using warehouse = open([
      { ...call, call_id: 1, caller_id: ADA },
      { ...call, call_id: 2, caller_id: BOB },
    ]);
    recordRejected(
      warehouse,
      [{ call_id: null, json: text, path: ADA, reason: ADA }],
      1,
      keepingAll(warehouse),
    );
    const isOfCalls = new Set([
      ...["calls", "transcripts", "call_facts", "callers", "rejected_calls"],
      ...["campaigns", "campaign_names"],
    ]);
    for (const { name: table, columns } of TABLES.filter(({ name }) => !isOfCalls.has(name))) {
      const marked = columns.filter(({ personal }) => personal !== undefined && !STAYING.includes(personal));
      const row = marked.map(({ name, personal }) => [name, personal === "caller" ? ADA : text]);
      if (row.length > 0) insert(warehouse, table, Object.fromEntries(row));
    }
    const left = () =>
      TABLES.flatMap(({ name: table, columns }) =>
        columns.flatMap(({ name }) => {
          const rows = read(warehouse, `SELECT 1 FROM ${table} WHERE "${name}" LIKE '%30123456%'`);
          return rows.length === 0 ? [] : `${table}.${name}`;
        }),
      );
    const marked = TABLES.flatMap(({ name: table, columns }) =>
      columns.flatMap(({ name, personal }) =>
        personal === undefined || STAYING.includes(personal) ? [] : `${table}.${name}`,
      ),
    );
    expect(left()).toEqual(marked);
    forget(warehouse, [ADA]);
    expect(left()).toEqual([]);
  });
});

describe("forgetCallers in other texts", () => {
  const json = `{"c":"a\\"b 030 123456","b":"${ADA}","d":"${BOB}","+49 30 123456":4930123456}`;
  const ofCalls = ["calls", "call_facts", "campaigns", "campaign_names", "rejected_calls"];
  const all = TABLES.filter(({ name }) => !ofCalls.includes(name)).flatMap((table) => {
    const columns = personalColumns(table, ["text", "key"]);
    const hasCalledNumbers = columns.some(({ personal }) => personal === "key");
    return columns.length === 0
      ? []
      : { table: table.name, columns: columns.map(({ name }) => name), hasCalledNumbers };
  });

  it("masks the number in each text, but not a number that is also called where JSON names only that", () => {
    // The company calls from a number of its own.
    using warehouse = open([makeCall({ call_id: 1, caller_id: BOB, tracking_number: ADA })]);
    for (const { table, columns } of all)
      insert(warehouse, table, Object.fromEntries(columns.map((column) => [column, json])));
    insert(warehouse, "sync_runs", { error: "no number", advice: "١٢٣" });
    insert(warehouse, "sync_runs", { error: "٠٣٠ ١٢٣٤٥٦" });
    const columns = all.reduce((sum, each) => sum + each.columns.length, 0);
    expect(forget(warehouse, [ADA]).counts.texts).toBe(columns + 1);
    // The name of a member may be a number that was also called.
    const spared = json.replace("030 123456", "999 999999").replace("4930123456}", "9999999999}");
    const whole = spared.replace(ADA, "+9999999999").replace("+49 30 123456", "+99 99 999999");
    for (const { table, columns, hasCalledNumbers } of all) {
      const [row] = read(warehouse, `SELECT ${columns.map((each) => `"${each}"`)} FROM ${table}`);
      const left = new Set(Object.values(row ?? {}));
      expect([table, ...left]).toEqual([table, hasCalledNumbers ? spared : whole]);
    }
    expect(read(warehouse, "SELECT error, advice FROM sync_runs WHERE run_id > 1")).toEqual([
      { error: "no number", advice: "١٢٣" },
      { error: "999 999999", advice: null },
    ]);
    const names = TABLES.map(({ name }) => name);
    expect(all.flatMap(({ table, hasCalledNumbers }) => (hasCalledNumbers ? table : []))).toEqual(
      ["exports", "exported_rollups", "exported_rows", "restatements", "notices"].filter((name) =>
        names.includes(name),
      ),
    );
  });

  it("does not change values that are not text", () => {
    using warehouse = open();
    warehouse.sqlite.exec(
      "INSERT INTO jobs (job, started_at, error) VALUES ('sync', '', x'343933303132333435')",
    );
    forget(warehouse, [ADA]);
    expect(read(warehouse, "SELECT typeof(error) AS type FROM jobs")).toEqual([{ type: "blob" }]);
  });
});

describe("forgetAgain", () => {
  it("forgets in an older copy the callers that the warehouse has forgotten since", () => {
    using warehouse = open();
    const { folder } = warehouse;
    warehouse.sqlite.pragma("wal_checkpoint(TRUNCATE)");
    const path = join(folder, "copy.db");
    copyFileSync(warehouse.path, path);
    const { counts } = forget(warehouse, [ADA]);
    const callers = readForgotten(warehouse);
    copyFileSync(callerKeyOf(warehouse.path), callerKeyOf(path));
    using copy = openWarehouse(path);
    copy.sqlite.pragma("secure_delete = OFF");
    const later = Date.parse("2026-12-01T00:00:00.000Z");
    expect(forgetAgain(locked(copy), callers, later)).toBe(true);
    expect(copy.sqlite.pragma("secure_delete", { simple: true })).toBe(1);
    for (const table of ["calls", "transcripts", "call_facts", "callers", "forgotten_callers"]) {
      const [own, its] = [copy, warehouse].map((each) =>
        read(each, `SELECT * FROM ${table}`).map(({ changed_ms: _, ...row }) => row),
      );
      expect(own).toEqual(its);
    }
    expect(readPrivacyActs(copy)).toEqual([
      { act_id: 1, at: "2026-12-01T00:00:00.000Z", act: "forget", counts, erased_at: null },
    ]);
    let isChanged: boolean | undefined;
    expect(findChanges(copy, () => (isChanged = forgetAgain(locked(copy), callers, later)))).toEqual({});
    expect(isChanged).toBe(false);
    // Only new ones count.
    forget(warehouse, [BOB]);
    expect(forgetAgain(locked(copy), readForgotten(warehouse), later)).toBe(true);
    expect(readPrivacyActs(copy).map(({ counts }) => counts.callers)).toEqual([1, 1]);
  });
});

/** The row of a table with its new name. */
function changedRow(rows: Record<string, unknown> | undefined, name: string | undefined): string {
  return (
    Object.entries(rows ?? {}).find(([, row]) => JSON.stringify(row).includes(`"${name}"`))?.[0] ?? "none"
  );
}
