import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import {
  fact_changes,
  isLoggedSince,
  readFactState,
  setRulesBeingApplied,
  withoutFactLog,
} from "../../../src/warehouse/calls/fact-log.ts";
import { call_facts, STORED_FACTS } from "../../../src/warehouse/calls/facts.ts";
import { clearAbsence } from "../../../src/warehouse/calls/gone.ts";
import { counts } from "../../../src/warehouse/counts.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";
import { FULL_CALL, makeCall } from "../../support/warehouses/calls.ts";
import { logFacts, readTriggers } from "../../support/warehouses/log-facts.ts";
import { markGone, newWarehouse, setRules, storeCalls } from "../../support/warehouses/warehouse.ts";

const write = (warehouse: Warehouse, ...calls: Parameters<typeof makeCall>[0][]) =>
  storeCalls(
    warehouse,
    calls.map((call) => makeCall(call)),
  );

const readLog = ({ sqlite }: Warehouse) =>
  sqlite
    .prepare<[], unknown[]>(
      "SELECT call_id, reason, is_live, outcome, is_first_call, caller, rules_id FROM fact_changes LEFT JOIN callers USING (caller_id) ORDER BY change_id",
    )
    .raw()
    .all();

const first = {
  call_id: 1,
  caller_id: "+491",
  call_started: "2026-01-02T00:00:00.000Z",
  disposition: "ANSWERED",
};

describe("the log of facts", () => {
  it("stores what was true of a call before each change, and why it changed", () => {
    using warehouse = newWarehouse();
    write(warehouse, first);
    logFacts(warehouse);
    write(warehouse, first, { ...first, call_id: 2, summary: "said" });
    write(warehouse, { ...first, summary: "said" });
    write(warehouse, { ...first, disposition: "BUSY" });
    write(warehouse, { ...first, call_id: 3, call_started: "2026-01-01T00:00:00.000Z" });
    markGone(warehouse, [3]);
    writeTransaction(warehouse, (tx) => clearAbsence(tx, [3]));
    setRules(warehouse, { ...DEFAULT_RULES, missed: [] });
    setRules(warehouse, { ...DEFAULT_RULES, missed: [], qualified_seconds: 61 });
    const rulesId = readFactState(warehouse).rulesId - 1;
    warehouse.sqlite.exec("DELETE FROM calls WHERE call_id = 3");
    const answered = [1, "answered"];
    expect(readLog(warehouse)).toEqual([
      [2, "late", null, null, null, null, null],
      [1, "corrected", ...answered, 1, "+491", null],
      [3, "late", null, null, null, null, null],
      [1, "first_call", 1, "missed", 1, "+491", null],
      [3, "gone", ...answered, 1, "+491", null],
      [3, "first_call", 0, "answered", 1, "+491", null],
      [1, "first_call", 1, "missed", 0, "+491", null],
      [3, "returned", 0, "answered", 0, "+491", null],
      [1, "first_call", 1, "missed", 1, "+491", null],
      [3, "first_call", 1, "answered", 0, "+491", null],
      [1, "rules", 1, "missed", 0, "+491", rulesId],
      [3, "gone", ...answered, 1, "+491", null],
    ]);
  });

  it("stores each fact of a call before the change, and the moment of the change", () => {
    using warehouse = newWarehouse();
    logFacts(warehouse);
    write(warehouse, { ...FULL_CALL, call_id: 1 });
    const before = warehouse.db.select().from(call_facts).get();
    write(warehouse, { call_id: 1 });
    warehouse.sqlite.exec("DELETE FROM calls");
    const [late, corrected, gone, ...more] = warehouse.db.select().from(fact_changes).all();
    const { call_id = 0, changed_ms: _, ...facts } = { ...before };
    const { is_live, is_qualified, is_first_call } = facts;
    const isNow = (text = "") => Math.abs(Date.parse(text) - Date.now()) < 3_600_000;
    expect([late?.change_id, gone?.change_id, more]).toEqual([1, 3, []]);
    expect(corrected).toEqual({
      ...facts,
      is_live: Number(is_live),
      is_qualified: Number(is_qualified),
      is_first_call: Number(is_first_call),
      call_id,
      change_id: 2,
      reason: "corrected",
      rules_id: null,
      booked: null,
      sold: null,
      revenue_micros: null,
      changed_at: corrected?.changed_at,
    });
    expect([late, corrected, gone].map((change) => isNow(change?.changed_at))).toEqual([true, true, true]);
    expect(corrected?.changed_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it("names each fact that changed, and logs nothing without a change", () => {
    using warehouse = newWarehouse();
    write(warehouse, FULL_CALL);
    logFacts(warehouse);
    const { sqlite } = warehouse;
    sqlite.pragma("foreign_keys = OFF"); // missing callers
    const numbers = new Set([
      "caller_id",
      "is_live",
      "is_qualified",
      "is_first_call",
      "duration",
      "org_unit_id",
    ]);
    for (const column of STORED_FACTS) {
      sqlite.exec("DELETE FROM fact_changes");
      const other = numbers.has(column) ? `NOT ${column}` : `coalesce(${column}, '') || 'x'`;
      sqlite.exec(`UPDATE call_facts SET ${column} = ${column}; UPDATE call_facts SET ${column} = ${other}`);
      const reasons = sqlite.prepare("SELECT reason FROM fact_changes").pluck().all();
      expect([column, reasons]).toEqual([
        column,
        [{ is_live: "gone", is_first_call: "first_call" }[column as string] ?? "corrected"],
      ]);
      if (column === "is_live") {
        sqlite.exec("DELETE FROM fact_changes; UPDATE call_facts SET is_live = 1");
        expect(sqlite.prepare("SELECT reason FROM fact_changes").pluck().all()).toEqual(["returned"]);
      }
    }
  });
});

describe("isLoggedSince", () => {
  it("returns true while the log is the same and has the next change, or no change happened since", () => {
    using warehouse = newWarehouse();
    const { sqlite } = warehouse;
    expect(readFactState(warehouse)).toEqual({ changeId: 0, rulesId: 1 });
    write(warehouse, first);
    expect(isLoggedSince(warehouse, { log: 1, changeId: 0 })).toBe(false);
    const log = logFacts(warehouse);
    const since = () =>
      [-1, 0, 1, 2, 3, 4, 5].filter((changeId) => isLoggedSince(warehouse, { log, changeId }));
    expect(since()).toEqual([0]);
    for (const duration of [1, 2, 3, 4]) write(warehouse, { ...first, duration });
    expect([since(), readFactState(warehouse).changeId]).toEqual([[0, 1, 2, 3, 4], 4]);
    sqlite.exec("DELETE FROM fact_changes WHERE change_id <= 2");
    expect(since()).toEqual([2, 3, 4]);
    sqlite.exec("DELETE FROM fact_changes");
    expect([since(), readFactState(warehouse).changeId]).toEqual([[4], 4]);
    expect(isLoggedSince(warehouse, { log: log + 1, changeId: 4 })).toBe(false);
    sqlite.exec("DROP TRIGGER fact_is_gone");
    expect(since()).toEqual([]);
  });

  it("returns the rules that were put in force last", () => {
    using warehouse = newWarehouse();
    setRules(warehouse, { ...DEFAULT_RULES, missed: [] });
    setRules(warehouse, DEFAULT_RULES);
    expect(readFactState(warehouse).rulesId).toBe(3);
    warehouse.sqlite.exec("DELETE FROM rules");
    expect(readFactState(warehouse).rulesId).toBe(0);
  });
});

describe("withoutFactLog", () => {
  it("logs nothing of a change and everything after it, with the same triggers", () => {
    using warehouse = newWarehouse();
    const { sqlite } = warehouse;
    write(warehouse, first);
    writeTransaction(warehouse, (tx) =>
      withoutFactLog(tx, () => sqlite.exec("UPDATE call_facts SET duration = 1")),
    );
    expect(readTriggers(warehouse)).toEqual([]);
    const log = logFacts(warehouse);
    // Of another version of the program.
    sqlite.exec(
      "DROP TRIGGER fact_is_new; CREATE TRIGGER fact_is_new AFTER INSERT ON calls BEGIN SELECT 1; END",
    );
    sqlite.exec("CREATE TRIGGER other AFTER UPDATE ON call_facts BEGIN UPDATE counts SET value = -1; END");
    const before = readTriggers(warehouse);
    writeTransaction(warehouse, (tx) =>
      withoutFactLog(tx, () => sqlite.exec("UPDATE call_facts SET duration = 2")),
    );
    expect([readTriggers(warehouse), readLog(warehouse)]).toEqual([before, []]);
    expect(sqlite.prepare("SELECT DISTINCT value FROM counts").pluck().all()).toEqual([-1]);
    sqlite.exec("UPDATE call_facts SET duration = 3");
    expect(readLog(warehouse)).toHaveLength(1);
    expect(log).toBe(1);
  });
});

describe("setRulesBeingApplied", () => {
  it("attributes changes to those rules until they are unset", () => {
    using warehouse = newWarehouse();
    write(warehouse, first);
    logFacts(warehouse);
    const { db } = warehouse;
    const names = () =>
      db
        .select()
        .from(counts)
        .all()
        .map(({ name }) => name);
    for (const [index, rulesId] of [7, 8, null, null].entries()) {
      writeTransaction(warehouse, (tx) => setRulesBeingApplied(tx, rulesId));
      const applied = rulesId === null ? [] : ["rules_being_applied"];
      expect(names()).toEqual(["calls", "fact_logs", ...applied]);
      // The rules are the reason, whatever changes.
      warehouse.sqlite.exec(`UPDATE call_facts SET duration = ${index}, is_live = NOT is_live`);
    }
    const { reason, rules_id } = fact_changes;
    expect(db.select({ reason, rules_id }).from(fact_changes).all()).toEqual([
      { reason: "rules", rules_id: 7 },
      { reason: "rules", rules_id: 8 },
      { reason: "gone", rules_id: null },
      { reason: "returned", rules_id: null },
    ]);
  });
});
