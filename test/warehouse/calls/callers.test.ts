import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { beginFactLog } from "../../../src/restatements/logged-facts.ts";
import {
  type CallerCall,
  CallerTable,
  callers,
  isFirstCall,
  renameCallers,
} from "../../../src/warehouse/calls/callers.ts";
import { fact_changes, readFactLog } from "../../../src/warehouse/calls/fact-log.ts";
import { call_facts } from "../../../src/warehouse/calls/facts.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";
import { makeCall } from "../../support/calls.ts";
import { draws, least } from "../../support/draws.ts";
import { newWarehouse, storeCalls } from "../../support/warehouse.ts";

interface Facts extends CallerCall {
  is_live: boolean;
}

/** A warehouse of facts alone, and callers kept in step with them as those do who write facts. */
function makeFacts() {
  const warehouse = newWarehouse();
  const { db, sqlite } = warehouse;
  sqlite.pragma("foreign_keys = OFF"); // there are no calls
  sqlite.exec("BEGIN"); // nothing of it has to reach the disk
  const table = new CallerTable(warehouse);
  const find = sqlite.prepare<[string], CallerCall & { is_live: number }>(
    `SELECT call_id, caller, call_started, is_live FROM call_facts
      WHERE call_id IN (SELECT value FROM json_each(?)) ORDER BY call_id`,
  );
  const readStored = (ids: readonly number[]) => find.all(JSON.stringify(ids));
  const upsert = sqlite.prepare(
    `INSERT INTO call_facts (call_id, caller, call_started, is_live, is_first_call, outcome, is_qualified, channel)
      VALUES (:call_id, :caller, :call_started, 1, :is_first_call, 'answered', 1, 'Direct')
      ON CONFLICT DO UPDATE SET caller = excluded.caller, call_started = excluded.call_started,
        is_live = excluded.is_live, is_first_call = excluded.is_first_call`,
  );
  const setLive = sqlite.prepare<[number, number]>("UPDATE call_facts SET is_live = ? WHERE call_id = ?");
  return {
    warehouse,
    table,
    /** Writes calls, new or known, in one change; they are live from now on. */
    write: (calls: readonly CallerCall[]) => {
      const ids = calls.map(({ call_id }) => call_id);
      const change = table.begin(
        readStored(ids).filter(({ is_live }) => is_live === 1),
        calls,
      );
      for (const call of calls) upsert.run({ ...call, is_first_call: Number(isFirstCall(change, call)) });
      table.end(change, new Set(ids));
    },
    setLive: (ids: readonly number[], isLive: boolean) => {
      const others = readStored(ids).filter(({ is_live }) => is_live !== Number(isLive));
      const change = table.begin(isLive ? [] : others, isLive ? others : []);
      for (const { call_id } of others) setLive.run(Number(isLive), call_id);
      table.end(change);
    },
    clear: () => sqlite.exec("DELETE FROM call_facts; DELETE FROM callers"),
    read: () => ({
      callers: db.select().from(callers).orderBy(callers.caller).all(),
      firsts: db
        .select()
        .from(call_facts)
        .orderBy(call_facts.call_id)
        .all()
        .flatMap(({ call_id, is_first_call }) => (is_first_call ? call_id : [])),
    }),
    [Symbol.dispose]: () => warehouse[Symbol.dispose](),
  };
}

const hour = (hour: number) => `2026-01-01T0${hour}:00:00.000Z`;
const call = (call_id: number, start: number | null, caller: string | null = "+491"): CallerCall => ({
  call_id,
  caller,
  call_started: start === null ? null : hour(start),
});

/** Calls without a start come last: `~` comes after any digit. */
function compare(a: CallerCall, b: CallerCall): number {
  const [first, second] = [a.call_started ?? "~", b.call_started ?? "~"];
  if (first !== second) return first < second ? -1 : 1;
  return a.call_id - b.call_id;
}

/** What is to be stored, counted from scratch. */
function recount(facts: Iterable<Facts>) {
  const live = [...facts].filter(({ is_live, caller }) => is_live && caller !== null);
  const rows = [...Map.groupBy(live, ({ caller }) => String(caller))].map(([caller, calls]) => {
    const [first] = calls.toSorted(compare);
    return {
      caller,
      first_call_id: first?.call_id ?? 0,
      first_call_started: first?.call_started ?? null,
      calls: calls.length,
    };
  });
  return {
    callers: rows.toSorted((a, b) => (a.caller < b.caller ? -1 : 1)),
    firsts: rows.map(({ first_call_id }) => first_call_id).sort((a, b) => a - b),
  };
}

/** Few ids, callers and times, so that calls of one caller come late, go, return, and become another's. */
const ids = fc.integer({ min: -2, max: 7 });
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("write" as const),
      calls: fc.uniqueArray(
        fc.record({
          call_id: ids,
          caller: fc.constantFrom("+491", "+491", "+492", "+493", null),
          call_started: fc.constantFrom(null, null, hour(1), hour(2), hour(3)),
        }),
        { minLength: 1, maxLength: 4, selector: ({ call_id }) => call_id },
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom("gone" as const, "returned" as const),
      ids: fc.uniqueArray(ids, { minLength: 1, maxLength: 5 }),
    }),
  },
);

describe("CallerTable", () => {
  it("has the callers of live calls, and the first call of each, as a recount has them after each change", () => {
    using made = makeFacts();
    const seen: Record<string, number> = {};
    const see = (name: string, isSo: boolean) => {
      seen[name] = (seen[name] ?? 0) + Number(isSo);
    };
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 10, size: "max" }), (steps) => {
        made.clear();
        const facts = new Map<number, Facts>();
        for (const step of steps) {
          const before = recount(facts.values());
          const wereFirst = new Map(before.callers.map((each) => [each.first_call_id, each]));
          if (step.kind === "write") {
            for (const each of step.calls) {
              const first = wereFirst.get(each.call_id);
              see("a first call is written again", first?.caller === each.caller);
              see(
                "a first call becomes another caller's",
                first !== undefined && first.caller !== each.caller,
              );
              facts.set(each.call_id, { ...each, is_live: true });
            }
            made.write(step.calls);
          } else {
            const is_live = step.kind === "returned";
            for (const id of step.ids) {
              const known = facts.get(id);
              if (known === undefined) continue;
              see("a first call goes", !is_live && wereFirst.has(id));
              see("returns", is_live && !known.is_live);
              facts.set(id, { ...known, is_live });
            }
            made.setLive(step.ids, is_live);
          }
          const expected = recount(facts.values());
          expect(made.read()).toEqual(expected);
          const names = new Set(expected.callers.map(({ caller }) => caller));
          for (const { caller } of before.callers) see("a caller's last call goes", !names.has(caller));
          for (const { caller, first_call_id, first_call_started } of expected.callers) {
            const others = [...facts.values()].filter(
              (each) => each.is_live && each.caller === caller && each.call_id !== first_call_id,
            );
            see(
              "others start at the same moment",
              first_call_started !== null && others.some((each) => each.call_started === first_call_started),
            );
            see("none has a start", first_call_started === null && others.length > 0);
            see(
              "a lower id has no start",
              first_call_started !== null &&
                others.some((each) => each.call_started === null && each.call_id < first_call_id),
            );
          }
        }
      }),
      { numRuns: draws(400) },
    );
    const often = {
      "a first call is written again": 50,
      "a first call becomes another caller's": 50,
      "a first call goes": 50,
      returns: 25,
      "a caller's last call goes": 50,
      "others start at the same moment": 50,
      "none has a start": 50,
      "a lower id has no start": 50,
    };
    expect(
      Object.entries(often).filter(([name, times]) => (seen[name] ?? 0) < least(times)),
      JSON.stringify(seen),
    ).toEqual([]);
  });

  /** One change after another, each with the callers that are there then: name, first call, calls. */
  it.each<{ title: string; steps: [(made: ReturnType<typeof makeFacts>) => void, ...unknown[][]][] }>([
    {
      title: "of calls that start at the same moment the one with the lower id",
      steps: [
        [(made) => made.write([call(5, 1), call(4, 1)]), ["+491", 4, 2]],
        [(made) => made.write([call(6, 1)]), ["+491", 4, 3]],
        [(made) => made.write([call(-3, 1)]), ["+491", -3, 4]],
      ],
    },
    {
      title: "a call without a start only where no other has one",
      steps: [
        [(made) => made.write([call(2, null), call(3, null)]), ["+491", 2, 2]],
        [(made) => made.write([call(1, null)]), ["+491", 1, 3]],
        [(made) => made.write([call(9, 5)]), ["+491", 9, 4]],
        [(made) => made.write([call(0, null)]), ["+491", 9, 5]],
        [(made) => made.setLive([9], false), ["+491", 0, 4]],
      ],
    },
    {
      title: "the next one where the first goes, and the first again where it returns",
      steps: [
        [(made) => made.write([call(1, 1), call(2, 3), call(3, 2)]), ["+491", 1, 3]],
        [(made) => made.setLive([1], false), ["+491", 3, 2]],
        [(made) => made.setLive([3], false), ["+491", 2, 1]],
        [(made) => made.setLive([2], false)],
        [(made) => made.setLive([2], true), ["+491", 2, 1]],
        [(made) => made.setLive([1, 3], true), ["+491", 1, 3]],
      ],
    },
    {
      title: "the next one where the first turns out to be later",
      steps: [
        [(made) => made.write([call(1, 1), call(2, 2)]), ["+491", 1, 2]],
        [(made) => made.write([call(1, 3)]), ["+491", 2, 2]],
        [(made) => made.write([call(2, 4)]), ["+491", 1, 2]],
        [(made) => made.write([call(1, null)]), ["+491", 2, 2]],
      ],
    },
    {
      title: "of each of two callers the one that is theirs, where the first of one becomes the other's",
      steps: [
        [(made) => made.write([call(1, 1), call(2, 2), call(3, 3, "+492")]), ["+491", 1, 2], ["+492", 3, 1]],
        [(made) => made.write([call(1, 1, "+492")]), ["+491", 2, 1], ["+492", 1, 2]],
        [(made) => made.write([call(1, 4), call(2, 2, "+492")]), ["+491", 1, 1], ["+492", 2, 2]],
        [(made) => made.write([call(1, 4, "+492")]), ["+492", 2, 3]],
        [(made) => made.write([call(2, 2, null), call(3, 3, null)]), ["+492", 1, 1]],
      ],
    },
    {
      title: "none of calls without a caller",
      steps: [
        [(made) => made.write([call(1, 1, null), call(2, 2, null)])],
        [(made) => made.write([call(1, 1), call(2, 2, "")]), ["", 2, 1], ["+491", 1, 1]],
        [(made) => made.write([call(1, 1, null)]), ["", 2, 1]],
        [(made) => made.setLive([1], false), ["", 2, 1]],
      ],
    },
  ])("takes for a caller's first call: $title", ({ steps }) => {
    using made = makeFacts();
    for (const [change, ...expected] of steps) {
      change(made);
      const stored = made.read();
      expect(stored.callers.map((each) => [each.caller, each.first_call_id, each.calls])).toEqual(expected);
      const ids = stored.callers.map(({ first_call_id }) => first_call_id).sort((a, b) => a - b);
      expect(stored.firsts).toEqual(ids);
    }
  });

  it("tells a caller from another whose name begins alike, or is written in other case", () => {
    using made = makeFacts();
    made.write([call(1, 1, "ab"), call(2, 2, "AB"), call(3, 3, "a"), call(4, 4, '"')]);
    expect(made.read()).toMatchObject({
      callers: [{ caller: '"' }, { caller: "AB" }, { caller: "a" }, { caller: "ab" }],
      firsts: [1, 2, 3, 4],
    });
  });

  it("changes the facts of none but the calls that were first, or are", () => {
    using made = makeFacts();
    made.write([call(1, 1), call(2, 2), call(3, 3), call(4, 4, "+492"), call(5, 5, "+492")]);
    beginFactLog(made.warehouse);
    made.write([call(6, 6), call(7, 3, "+492")]);
    expect(logged(made.warehouse)).toEqual(["late 6", "late 7", "first_call 4"]);
    made.setLive([2, 3], false);
    expect(logged(made.warehouse)).toEqual(["gone 2", "gone 3"]);
    made.setLive([1], false);
    expect(logged(made.warehouse)).toEqual(["gone 1", "first_call 1", "first_call 6"]);
    made.setLive([1, 2], true);
    expect(logged(made.warehouse)).toEqual(["returned 1", "returned 2", "first_call 6", "first_call 1"]);
    made.write([call(2, 1, "+493")]);
    expect(logged(made.warehouse)).toEqual(["corrected 2"]);
  });
});

describe("isFirstCall", () => {
  it("is known in a change that has begun, but not of a caller whose first call goes", () => {
    using made = makeFacts();
    made.write([call(1, 1), call(2, 2), call(3, 3, "+492")]);
    const added = [
      call(4, 2, "+492"),
      call(5, 5, "+492"),
      call(6, 0),
      call(7, 7),
      call(8, 8, "+493"),
      call(9, 1, null),
    ];
    const firstOf = (removed: CallerCall[]) => {
      const change = made.table.begin(removed, added);
      return added.flatMap((each) => (isFirstCall(change, each) ? each.call_id : []));
    };
    expect(firstOf([])).toEqual([4, 6, 8]);
    expect(firstOf([call(2, 2), call(10, 1, null)])).toEqual([4, 6, 8]);
    expect(firstOf([call(1, 1)])).toEqual([4, 8]);
    expect(firstOf([call(1, 1), call(3, 3, "+492")])).toEqual([8]);
    const change = made.table.begin([], added);
    const others = [call(1, 1), call(3, 3, "+492"), call(11, 9, "+494"), call(6, 0, "+492"), call(6, 0)];
    expect(others.map((each) => isFirstCall(change, each))).toEqual([false, false, false, false, true]);
  });
});

/** What was logged since the last time: why, and of which call. */
function logged({ db }: Warehouse): string[] {
  const changes = db.select().from(fact_changes).orderBy(fact_changes.change_id).all();
  db.delete(fact_changes).run();
  return changes.map(({ reason, call_id }) => `${reason} ${call_id}`);
}

describe("renameCallers", () => {
  it.each([true, false])(
    "gives other names wherever the facts have them, and logs nothing: %s",
    (isLogged) => {
      using warehouse = newWarehouse();
      const { sqlite } = warehouse;
      const log = isLogged ? beginFactLog(warehouse) : undefined;
      // Another trigger than those of the log goes on working.
      sqlite.exec(`CREATE TABLE seen (caller);
      CREATE TRIGGER other AFTER UPDATE ON call_facts BEGIN INSERT INTO seen VALUES (OLD.caller); END`);
      const numbers = ["+491", "+492", null, "kept1"];
      const write = (disposition: string) =>
        storeCalls(
          warehouse,
          numbers.map((caller_id, index) => makeCall({ call_id: -index, caller_id, disposition })),
        );
      write("ANSWERED");
      write("BUSY");
      const read = (table: string, order: string) =>
        sqlite.prepare(`SELECT caller FROM ${table} ORDER BY ${order}`).pluck().all();
      const changes = sqlite.prepare("SELECT count(*) FROM fact_changes").pluck();
      const before = changes.get();
      expect(before).toBe(isLogged ? 2 * numbers.length : 0);
      sqlite.exec("DELETE FROM seen");
      writeTransaction(warehouse, (tx) =>
        renameCallers(tx, (caller) => (caller === "kept1" ? caller : `named ${caller}`)),
      );
      const named = ["named +491", "named +492", null, "kept1"];
      expect(read("call_facts", "-call_id")).toEqual(named);
      expect(read("callers", "caller")).toEqual(["kept1", "named +491", "named +492"]);
      const ofLog = isLogged ? [...numbers.map(() => null), ...named] : [];
      expect(read("fact_changes", "reason DESC, -call_id")).toEqual(ofLog);
      expect([changes.get(), readFactLog(warehouse)]).toEqual([before, log]);
      expect(sqlite.prepare("SELECT caller FROM seen ORDER BY 1").pluck().all()).toEqual(["+491", "+492"]);
      write("FAILED");
      expect(changes.get()).toBe(isLogged ? 3 * numbers.length : 0);
    },
  );
});
