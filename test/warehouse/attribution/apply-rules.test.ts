import { createHmac } from "node:crypto";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { type AttributionRules, DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import type { Call } from "../../../src/calls/columns.ts";
import { isPseudonym } from "../../../src/calls/privacy/pseudonym.ts";
import {
  applyRules,
  attributeAgain,
  needsAttribution,
  refreshViews,
} from "../../../src/warehouse/attribution/apply-rules.ts";
import { hasAllFacts } from "../../../src/warehouse/calls/call-table.ts";
import { callerKeyOf } from "../../../src/warehouse/calls/caller-key.ts";
import { calls } from "../../../src/warehouse/calls/calls.ts";
import { readRulesInForce, rules } from "../../../src/warehouse/calls/rules.ts";
import { counts } from "../../../src/warehouse/counts.ts";
import { openExistingWarehouse, openWarehouse } from "../../../src/warehouse/file/open.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";
import { foldFacts } from "../../support/figures/fold-facts.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { logFacts } from "../../support/warehouses/log-facts.ts";
import { locked, markGone, newWarehouse, readFacts, storeCalls } from "../../support/warehouses/warehouse.ts";

const CALLS = [
  makeCall({ call_id: 1, utm_source: "fb", disposition: "GREETED", duration: 90 }),
  makeCall({ call_id: 2, utm_source: "Facebook", disposition: "GREETED", duration: 20 }),
  makeCall({ call_id: 3, utm_source: "x", disposition: "ANSWERED", duration: 20 }),
];
const RULES = {
  ...DEFAULT_RULES,
  answered: ["greeted"],
  qualified_seconds: 20,
  aliases: Object.fromEntries([
    ["fb", "facebook"],
    ["x", ""],
    ["__proto__", "y"],
  ]),
};
const NOW = { nowMs: Date.parse("2026-10-01T00:00:00.000Z") };

function readView({ sqlite }: Warehouse): unknown[] {
  const columns = "utm_source, calls, answered_calls, qualified_calls";
  return sqlite.prepare(`SELECT ${columns} FROM rollup_utm_source`).raw().all();
}

describe("applyRules", () => {
  it("records each change, and the warehouse keeps the rules when it is reopened", async () => {
    using folder = makeTempFolder();
    const path = join(folder.path, "calls.db");
    {
      using warehouse = openWarehouse(path);
      storeCalls(warehouse, CALLS);
      await applyRules(locked(warehouse), RULES, NOW);
    }
    using warehouse = openExistingWarehouse(path);
    const [first, second, ...others] = warehouse.db.select().from(rules).all();
    expect(others).toEqual([]);
    expect(first).toMatchObject({ rules_id: 1, rules: JSON.stringify(DEFAULT_RULES), calls: 0 });
    expect(second).toEqual({
      rules_id: 2,
      since: "2026-10-01T00:00:00.000Z",
      version: first?.version,
      rules: JSON.stringify(RULES),
      calls: 3,
      caller_key: null,
    });
    storeCalls(warehouse, [makeCall({ call_id: 4, utm_source: "FB", disposition: "greeted" })], { runId: 2 });
    expect(readView(warehouse)[0]).toEqual(["facebook", 3, 3, 2]);
  });

  it("writes nothing if the rules mean the same", async () => {
    using warehouse = newWarehouse();
    await applyRules(locked(warehouse), RULES, NOW);
    const version = () => warehouse.sqlite.prepare("SELECT total_changes()").pluck().get();
    const schema = () => warehouse.sqlite.pragma("schema_version", { simple: true });
    const before = [version(), schema()];
    const same = {
      ...RULES,
      answered: ["GREETED", "greeted"],
      missed: RULES.missed.toReversed(),
      aliases: Object.fromEntries(Object.entries(RULES.aliases).reverse()),
    };
    expect(needsAttribution(warehouse, same)).toBe(false);
    await applyRules(locked(warehouse), same, NOW);
    expect([version(), schema()]).toEqual(before);
  });

  it("changes nothing when it is stopped", async () => {
    using warehouse = newWarehouse();
    const calls = Array.from({ length: 501 }, (_, index) => makeCall({ ...CALLS[0], call_id: index }));
    storeCalls(warehouse, calls);
    const stop = new AbortController();
    const seen: number[] = [];
    const onAttributed = ({ read }: { read: number }) => {
      seen.push(read);
      stop.abort(new Error("stopped"));
    };
    const applied = applyRules(locked(warehouse), RULES, { ...NOW, signal: stop.signal, onAttributed });
    await expect(applied).rejects.toThrow("stopped");
    expect(seen).toEqual([250]);
    expect(readView(warehouse)).toEqual([["fb", 501, 0, 0]]);
    expect(needsAttribution(warehouse, RULES)).toBe(true);
  });
});

const KEY = Buffer.alloc(32, 7);
const hmac = (caller: string) => createHmac("sha256", KEY).update(caller).digest("hex");

/** The facts of the stored calls by the rules in force, computed in memory. */
function foldStored(warehouse: Warehouse, rules: AttributionRules, toName?: (caller: string) => string) {
  const stored = warehouse.db.select().from(calls).all();
  const kept = stored.map(({ gone_at, caller_digest, ...call }) => {
    return { ...makeCall(call), isGone: gone_at !== null, digest: caller_digest };
  });
  return foldFacts(kept, rules, toName);
}

const readStored = (warehouse: Warehouse) => ({
  ...readFacts(warehouse),
  counts: warehouse.db.select().from(counts).where(eq(counts.name, "calls")).all(),
});

/** That many calls whose ids run against the order of time, with it, or independently; with few callers and times. */
function someCalls(length: number, order: "against" | "with" | "without"): Call[] {
  const extremes = [Number.MIN_SAFE_INTEGER, -1, 0, Number.MAX_SAFE_INTEGER];
  return Array.from({ length }, (_, index) => {
    const hour = { against: length - index, with: index, without: (index * 7) % 11 }[order];
    return makeCall({
      call_id: extremes[index] ?? index * 3,
      caller_id: ["+491", "+49 2", null, "+493"][index % 4] ?? null,
      // Two with the same time, and some without.
      call_started:
        index % 9 === 5 ? null : new Date(NOW.nowMs + Math.floor(hour / 2) * 3_600_000).toISOString(),
      utm_source: ["fb", "x", "Google", null][index % 5] ?? null,
      disposition: index % 3 ? "GREETED" : "ANSWERED",
      duration: 19 + (index % 3),
    });
  });
}

describe("attributeAgain", () => {
  it.each([0, 250, 251, 501])(
    "writes the facts of all of %i calls and reports its progress, at the end after the commit",
    async (length) => {
      using warehouse = newWarehouse();
      const order = (["against", "with", "without"] as const)[length % 3] ?? "with";
      writeTransaction(warehouse, () => {
        storeCalls(warehouse, someCalls(length, order));
        markGone(warehouse, [0, 12, 15]);
      });
      expect(readStored(warehouse)).toEqual(foldStored(warehouse, DEFAULT_RULES));
      const seen: unknown[] = [];
      await attributeAgain(locked(warehouse), RULES, {
        ...NOW,
        onAttributed: ({ read, total }) => seen.push([read, total, warehouse.sqlite.inTransaction]),
      });
      expect(readStored(warehouse)).toEqual(foldStored(warehouse, RULES));
      const steps = Array.from({ length: Math.max(0, Math.ceil(length / 250) - 1) }, (_, step) => [
        (step + 1) * 250,
        length,
        true,
      ]);
      expect(seen).toEqual([...steps, [length, length, false]]);
    },
  );

  it("recomputes facts, callers and counts whatever they were, and deletes those of missing calls", async () => {
    using warehouse = newWarehouse(someCalls(20, "against"));
    expect(hasAllFacts(warehouse)).toBe(true);
    warehouse.sqlite.exec(`PRAGMA foreign_keys = OFF;
      DELETE FROM calls WHERE call_id IN (15, 18);
      INSERT INTO callers VALUES (-5, 'x', 1, NULL), (9, 'y', 1, NULL);
      UPDATE call_facts SET is_first_call = NOT is_first_call, caller_id = -5, is_live = 0 WHERE call_id < 30;
      DELETE FROM call_facts WHERE call_id = 33;
      UPDATE calls SET gone_at = '2026-10-01T00:00:00.000Z' WHERE call_id = 33;
      UPDATE counts SET value = 99`);
    await attributeAgain(locked(warehouse), DEFAULT_RULES, NOW);
    const stored = readStored(warehouse);
    expect(stored.facts).toHaveLength(18);
    expect(stored).toEqual(foldStored(warehouse, DEFAULT_RULES));
  });

  it("logs one change per call, caused by the rules, if only the name of its caller differs", async () => {
    using warehouse = newWarehouse();
    const { sqlite } = warehouse;
    storeCalls(warehouse, someCalls(501, "against"));
    sqlite.exec(`UPDATE rules SET version = version - 1; UPDATE callers SET caller = 'old' || caller`);
    logFacts(warehouse);
    await applyRules(locked(warehouse), DEFAULT_RULES, NOW);
    const ofCallers = "FROM call_facts JOIN callers USING (caller_id) ORDER BY call_id";
    const log =
      "SELECT call_id, reason, rules_id, caller FROM fact_changes JOIN callers USING (caller_id) ORDER BY call_id";
    expect(sqlite.prepare(log).all()).toEqual(
      sqlite
        .prepare(`SELECT call_id, 'rules' AS reason, 2 AS rules_id, 'old' || caller AS caller ${ofCallers}`)
        .all(),
    );
    sqlite.exec("DELETE FROM fact_changes; UPDATE call_facts SET duration = -1 WHERE call_id = 0");
    expect(sqlite.prepare("SELECT reason, rules_id FROM fact_changes").raw().all()).toEqual([
      ["corrected", null],
    ]);
  });

  it("changes no fact if it fails halfway, and reports nothing", async () => {
    using warehouse = newWarehouse(someCalls(20, "with"));
    const before = readStored(warehouse);
    const fail = (when: string) =>
      warehouse.sqlite.exec(
        `CREATE TEMP TRIGGER fails ${when} BEGIN SELECT raise(ROLLBACK, 'the disk is full'); END`,
      );
    // Like a full disk, this also ends the transaction.
    fail("BEFORE UPDATE ON main.call_facts WHEN NEW.call_id = 30");
    const seen: unknown[] = [];
    const failed = attributeAgain(locked(warehouse), RULES, {
      ...NOW,
      onAttributed: (progress) => seen.push(progress),
    });
    await expect(failed).rejects.toThrow("the disk is full");
    expect([seen, readStored(warehouse), warehouse.sqlite.inTransaction]).toEqual([[], before, false]);
    expect(needsAttribution(warehouse, RULES)).toBe(true);
  });

  it("writes nothing into a file that was moved away", async () => {
    using folder = makeTempFolder();
    const path = join(folder.path, "calls.db");
    using warehouse = openWarehouse(path);
    renameSync(path, `${path}.moved`);
    await expect(attributeAgain(locked(warehouse), RULES, NOW)).rejects.toMatchObject({ exitCode: 7 });
    expect(warehouse.sqlite.inTransaction).toBe(false);
    renameSync(`${path}.moved`, path);
    expect(needsAttribution(warehouse, RULES)).toBe(true);
  });

  it("identifies callers by digests from then on, whatever later rules say, and logs no change for that", async () => {
    using warehouse = newWarehouse();
    writeFileSync(callerKeyOf(warehouse.path), KEY.toString("hex"));
    const secureDelete = () => warehouse.sqlite.pragma("secure_delete", { simple: true });
    const digestOf = (caller: string) => (isPseudonym(caller) ? caller : hmac(caller));
    const forgotten = "forgotten0123456789abcdef";
    const all = [...someCalls(12, "against"), makeCall({ call_id: 100, caller_id: forgotten })];
    storeCalls(warehouse, all);
    logFacts(warehouse);
    await attributeAgain(locked(warehouse), DEFAULT_RULES, NOW);
    expect([secureDelete(), readRulesInForce(warehouse).caller_key]).toEqual([0, null]);

    const digests = { ...DEFAULT_RULES, caller_digests: true };
    expect(needsAttribution(warehouse, digests)).toBe(false);
    await applyRules(locked(warehouse), digests, NOW);
    const inForce = readRulesInForce(warehouse);
    expect(inForce.caller_key).toMatch(/^[0-9a-f]{16}$/);
    expect(secureDelete()).toBe(1);
    expect(readStored(warehouse)).toEqual(foldStored(warehouse, DEFAULT_RULES, digestOf));
    expect(warehouse.sqlite.prepare("SELECT count(*) FROM fact_changes").pluck().get()).toBe(0);
    expect(needsAttribution(warehouse, DEFAULT_RULES)).toBe(false);

    // A call whose number is not kept has only the digest.
    const other = hmac("+497");
    warehouse.sqlite.exec(`UPDATE rules SET version = version - 1;
      UPDATE calls SET caller_id = NULL, caller_digest = '${other}' WHERE call_id = 12`);
    await applyRules(locked(warehouse), RULES, NOW);
    expect(readRulesInForce(warehouse).caller_key).toBe(inForce.caller_key);
    const stored = readStored(warehouse);
    expect(stored).toEqual(foldStored(warehouse, RULES, digestOf));
    expect(stored.callers.map(({ caller }) => caller)).toContain(other);
    expect(stored.facts.find(({ call_id }) => call_id === 100)?.caller).toBe(forgotten);
  });
});

describe("needsAttribution", () => {
  it("returns true if the program's own rules have another version", async () => {
    using warehouse = newWarehouse(CALLS);
    const readDurations = () =>
      warehouse.sqlite.prepare("SELECT DISTINCT duration FROM call_facts").pluck().all();
    // Changes that only a recomputation repairs.
    const spoil = () => warehouse.sqlite.exec("UPDATE call_facts SET duration = 5");
    for (const sql of ["UPDATE rules SET version = version - 1", "UPDATE rules SET version = version + 1"]) {
      spoil();
      await applyRules(locked(warehouse), DEFAULT_RULES, NOW);
      expect(readDurations()).toEqual([5]);
      warehouse.sqlite.exec(sql);
      expect(needsAttribution(warehouse, DEFAULT_RULES)).toBe(true);
      await applyRules(locked(warehouse), DEFAULT_RULES, NOW);
      expect(readDurations()).toEqual([90, 20]);
      expect(needsAttribution(warehouse, DEFAULT_RULES)).toBe(false);
    }
  });
});

describe("refreshViews", () => {
  const VIEW = "SELECT sql FROM sqlite_schema WHERE name = 'rollup_channel'";

  it("replaces views of another version if the facts follow these rules", async () => {
    using folder = makeTempFolder();
    const path = join(folder.path, "calls.db");
    using warehouse = openWarehouse(path);
    const read = () => warehouse.sqlite.prepare(VIEW).pluck().get();
    const [before, changes] = [
      read(),
      () => Number(warehouse.sqlite.prepare("SELECT total_changes()").pluck().get()),
    ];
    warehouse.sqlite.exec("DROP VIEW rollup_channel; CREATE VIEW rollup_channel AS SELECT 1");
    refreshViews(warehouse, { ...DEFAULT_RULES, duration_unit: "milliseconds" });
    expect(read()).toContain("SELECT 1");
    const other = changes();
    await applyRules(locked(warehouse), DEFAULT_RULES, NOW);
    expect([read(), changes()], "only the moment").toEqual([before, other + 1]);
  });

  it("does not wait for another process's long write if the views are current", () => {
    using folder = makeTempFolder();
    const path = join(folder.path, "calls.db");
    using warehouse = openWarehouse(path);
    using other = openExistingWarehouse(path);
    warehouse.sqlite.pragma("busy_timeout = 0");
    other.sqlite.exec("BEGIN IMMEDIATE");
    refreshViews(warehouse, DEFAULT_RULES);
    expect(() => refreshViews(warehouse, { ...DEFAULT_RULES, duration_unit: "milliseconds" })).toThrow(
      "locked",
    );
  });
});

describe("hasAllFacts", () => {
  it("returns true if the same number of calls is stored, counted, and has facts", () => {
    using warehouse = newWarehouse();
    const { sqlite } = warehouse;
    storeCalls(warehouse, CALLS);
    sqlite.pragma("foreign_keys = OFF");
    const lackOf = (table: string) => `DELETE FROM ${table} WHERE call_id = 2`;
    const [call, facts, count] = [lackOf("calls"), lackOf("call_facts"), "UPDATE counts SET value = 2"];
    const cases: [sql: string, expected: boolean][] = [
      ["SELECT 1", true],
      [facts, false],
      [call, false],
      [count, false],
      [`${facts}; ${count}`, false],
      [`${call}; ${count}`, false],
      [`${call}; ${facts}`, false],
      [`${call}; ${facts}; ${count}`, true],
      ["DELETE FROM calls; DELETE FROM call_facts; UPDATE counts SET value = 0", true],
    ];
    const found = cases.map(([sql]) => {
      sqlite.exec(`BEGIN; ${sql}`);
      const has = hasAllFacts(warehouse);
      sqlite.exec("ROLLBACK");
      return [sql, has];
    });
    expect(found).toEqual(cases);
  });
});
