import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../src/calls/attribution/attribution-rules.ts";
import { forgetCallers } from "../../src/operate/forget/forget-callers.ts";
import { FACT_COLUMNS } from "../../src/warehouse/calls/facts.ts";
import { clearAbsence } from "../../src/warehouse/calls/gone.ts";
import { beginMarks, readChanges } from "../../src/warehouse/changed-calls.ts";
import { publications, readPublications, upsertPublication } from "../../src/warehouse/publication-table.ts";
import { writeTransaction } from "../../src/warehouse/transaction.ts";
import type { Warehouse } from "../../src/warehouse/warehouse.ts";
import { draws, least } from "../support/draws.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import { logFacts } from "../support/warehouses/log-facts.ts";
import { locked, markGone, newWarehouse, setRules, storeCalls } from "../support/warehouses/warehouse.ts";

const write = (warehouse: Warehouse, ...calls: Parameters<typeof makeCall>[0][]) =>
  storeCalls(
    warehouse,
    calls.map((call) => makeCall(call)),
  );

/** Returns the facts of each call as text, by its identifier. */
function readFacts({ sqlite }: Warehouse): Map<number, string> {
  const rows = sqlite
    .prepare<[], unknown[]>(
      `SELECT ${FACT_COLUMNS.join(", ")}, caller FROM call_facts LEFT JOIN callers USING (caller_id)`,
    )
    .raw()
    .all();
  return new Map(rows.map((row) => [Number(row[0]), JSON.stringify(row)]));
}

const ids = fc.integer({ min: -4, max: 12 });
const changes = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("write"), id: ids, caller: fc.integer({ min: 1, max: 6 }), day: ids }),
    fc.record({ kind: fc.constantFrom("gone", "back", "remove", "hand"), id: ids }),
    fc.record({ kind: fc.constantFrom("rules", "forget"), id: fc.integer({ min: 1, max: 6 }) }),
  ),
  { minLength: 1, maxLength: 8 },
);

function apply(
  warehouse: Warehouse,
  change: typeof changes extends fc.Arbitrary<(infer T)[]> ? T : never,
): void {
  const { kind, id } = change;
  if ("caller" in change) {
    const call_started = new Date(Date.UTC(2026, 0, 15 + change.day)).toISOString();
    write(warehouse, {
      call_id: id,
      caller_id: `+49301234${change.caller}`,
      call_started,
      duration: change.day,
    });
  } else if (kind === "gone") markGone(warehouse, [id]);
  else if (kind === "back") writeTransaction(warehouse, (tx) => clearAbsence(tx, [id]));
  else if (kind === "rules") setRules(warehouse, { ...DEFAULT_RULES, qualified_seconds: id });
  else if (kind === "forget")
    forgetCallers(locked(warehouse), [{ caller: `+49301234${id}` }], { nowMs: 0, isUnknownAllowed: true });
  else if (kind === "hand")
    warehouse.sqlite.exec(`UPDATE call_facts SET campaign = 'by hand' WHERE call_id = ${id}`);
  else
    warehouse.sqlite.exec(`INSERT OR IGNORE INTO call_facts SELECT * FROM call_facts WHERE call_id = ${id};
    DELETE FROM calls WHERE call_id = ${id}`);
}

describe("readChanges", () => {
  it.each([false, true])(
    "returns every call whose facts have changed for any reason (facts are logged: %s)",
    (isLogged) => {
      using warehouse = newWarehouse();
      write(warehouse, { call_id: 1 });
      if (isLogged) logFacts(warehouse);
      beginMarks(warehouse);
      let changed = 0;
      fc.assert(
        fc.property(changes, (made) => {
          const [facts, { changeId }] = [readFacts(warehouse), readChanges(warehouse)];
          for (const change of made) apply(warehouse, change);
          const now = readFacts(warehouse);
          const others = [...new Set([...facts.keys(), ...now.keys()])].filter(
            (id) => facts.get(id) !== now.get(id),
          );
          changed += others.length;
          expect(readChanges(warehouse, changeId).ids).toEqual(expect.arrayContaining(others));
        }),
        { numRuns: draws(25) },
      );
      expect(changed).toBeGreaterThanOrEqual(least(25));
    },
  );

  it("returns no calls that were written without a change", () => {
    using warehouse = newWarehouse();
    write(warehouse, { call_id: 1 }, { call_id: 2000 });
    beginMarks(warehouse);
    const { changeId } = readChanges(warehouse);
    setRules(warehouse, DEFAULT_RULES);
    expect(readChanges(warehouse, changeId)).toEqual({ changeId, ids: [] });
    write(warehouse, { call_id: 2000, duration: 77 });
    expect(readChanges(warehouse, changeId).ids).toEqual([2000]);
  });
});

describe("readPublications", () => {
  it("marks a cluster as behind after calls or spend have changed, and filters by target", () => {
    using warehouse = newWarehouse();
    beginMarks(warehouse);
    const at = "2026-01-01T00:00:00.000Z";
    const isBehind = () => readPublications(warehouse, "a").map(({ is_behind }) => is_behind);
    publish(warehouse, "slip", { published_at: null });
    expect(readPublications(warehouse)).toMatchObject([{ target: "slip", is_behind: true }]);
    for (const change of [
      () => write(warehouse, { call_id: 1 }),
      () =>
        warehouse.sqlite.exec(`INSERT INTO spend (day, source, medium, cost_micros, currency, file, imported_at)
          VALUES ('2026-01-01', 'google', 'cpc', 1, 'EUR', 'ads.csv', '${at}')`),
      () => warehouse.sqlite.exec("UPDATE spend SET cost_micros = 2"),
      () => warehouse.sqlite.exec("DELETE FROM spend"),
    ]) {
      publish(warehouse, "a", { published_at: at });
      expect(isBehind()).toEqual([false]);
      change();
      expect(isBehind()).toEqual([true]);
    }
    expect(readPublications(warehouse)).toMatchObject([{ target: "a" }]);
    expect(readPublications(warehouse, "b")).toEqual([]);
  });
});

/** Records a publication of all changes up to now. */
const publish = (warehouse: Warehouse, target: string, more: { published_at?: string | null } = {}) =>
  upsertPublication(warehouse, {
    target,
    account: "acme",
    attempted_at: "2026-01-01T00:00:00.000Z",
    error: null,
    totals: "{}",
    change_id: readChanges(warehouse).changeId,
    ...more,
  });

describe("beginMarks", () => {
  it("forgets the changes that all publications contain", () => {
    using warehouse = newWarehouse();
    beginMarks(warehouse);
    const count = () => readChanges(warehouse).ids.length;
    write(warehouse, { call_id: 1 });
    publish(warehouse, "a");
    write(warehouse, { call_id: 2 });
    publish(warehouse, "b");
    beginMarks(warehouse);
    expect(count()).toBe(1);
    publish(warehouse, "a");
    beginMarks(warehouse);
    expect(count()).toBe(0);
    const { changeId } = readChanges(warehouse);
    write(warehouse, { call_id: 3 });
    expect(readChanges(warehouse, changeId).ids).toEqual([3]);
  });

  it("forgets published totals that changed while the triggers were missing", () => {
    using warehouse = newWarehouse();
    beginMarks(warehouse);
    publish(warehouse, "a");
    const readTotals = () => warehouse.db.select().from(publications).get()?.totals;
    beginMarks(warehouse);
    expect(readTotals()).toBe("{}");
    const { changeId } = readChanges(warehouse);
    warehouse.sqlite.exec("DROP TRIGGER mark_removed_call");
    beginMarks(warehouse);
    expect(readTotals()).toBeNull();
    expect(readChanges(warehouse).changeId).toBeGreaterThan(changeId);
  });
});
