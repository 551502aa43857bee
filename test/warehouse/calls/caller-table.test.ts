import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { beginFactLog } from "../../../src/features/restatements/logged-facts.ts";
import { type CallerCall, CallerTable, isFirstCall } from "../../../src/warehouse/calls/caller-table.ts";
import { fact_changes } from "../../../src/warehouse/calls/fact-log.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";
import { draws, least } from "../../support/draws.ts";
import { newWarehouse, readFacts } from "../../support/warehouse.ts";

interface NamedCall extends Omit<CallerCall, "caller_id"> {
  caller: string | null;
}

interface Facts extends NamedCall {
  is_live: boolean;
}

/** A warehouse with only facts, and callers updated like by the writers of facts. */
function makeFacts() {
  const warehouse = newWarehouse();
  const { sqlite } = warehouse;
  sqlite.pragma("foreign_keys = OFF"); // there are no calls
  sqlite.exec("BEGIN"); // nothing has to reach the disk
  const table = new CallerTable(warehouse);
  const find = sqlite.prepare<[string], CallerCall & { is_live: number }>(
    `SELECT call_id, caller_id, call_started, is_live FROM call_facts
      WHERE call_id IN (SELECT value FROM json_each(?)) ORDER BY call_id`,
  );
  const readStored = (ids: readonly number[]) => find.all(JSON.stringify(ids));
  const upsert = sqlite.prepare(
    `INSERT INTO call_facts (call_id, caller_id, call_started, is_live, is_first_call, outcome, is_qualified, channel, changed_ms)
      VALUES (:call_id, :caller_id, :call_started, 1, :is_first_call, 'answered', 1, 'Direct', 0)
      ON CONFLICT DO UPDATE SET caller_id = excluded.caller_id, call_started = excluded.call_started,
        is_live = excluded.is_live, is_first_call = excluded.is_first_call`,
  );
  const setLive = sqlite.prepare<[number, number]>("UPDATE call_facts SET is_live = ? WHERE call_id = ?");
  const toIds = (calls: readonly NamedCall[]): CallerCall[] => {
    const idOf = table.prepareIdOf(calls);
    return calls.map(({ caller, ...call }) => ({ ...call, caller_id: idOf(caller) }));
  };
  return {
    warehouse,
    table,
    toIds,
    /** Writes calls, new or known, in one change; they are live afterwards. */
    write: (named: readonly NamedCall[]) => {
      const calls = toIds(named);
      const ids = calls.map(({ call_id }) => call_id);
      const change = table.begin(readStored(ids), calls);
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
    read: () => {
      const { callers, facts } = readFacts(warehouse);
      return {
        callers,
        firsts: facts.flatMap(({ call_id, is_first_call }) => (is_first_call ? call_id : [])),
      };
    },
    [Symbol.dispose]: () => warehouse[Symbol.dispose](),
  };
}

const hour = (hour: number) => `2026-01-01T0${hour}:00:00.000Z`;
const call = (call_id: number, start: number | null, caller: string | null = "+491"): NamedCall => ({
  call_id,
  caller,
  call_started: start === null ? null : hour(start),
});

/** Calls without a start come last: `~` comes after any digit. */
function compare(a: NamedCall, b: NamedCall): number {
  const [first, second] = [a.call_started ?? "~", b.call_started ?? "~"];
  if (first !== second) return first < second ? -1 : 1;
  return a.call_id - b.call_id;
}

/** What must be stored, counted from scratch. */
function recount(facts: Iterable<Facts>) {
  const known = [...facts].filter(({ caller }) => caller !== null);
  const rows = [...Map.groupBy(known, ({ caller }) => String(caller))].map(([caller, calls]) => {
    const [first] = calls.filter(({ is_live }) => is_live).toSorted(compare);
    const { call_id: first_call_id = null, call_started: first_call_started = null } = first ?? {};
    return { caller, first_call_id, first_call_started };
  });
  return {
    callers: rows.toSorted((a, b) => (a.caller < b.caller ? -1 : 1)),
    firsts: rows.flatMap(({ first_call_id }) => first_call_id ?? []).sort((a, b) => a - b),
  };
}

/** Few ids, callers and times, so that calls of one caller come late, disappear, return, and change callers. */
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
  it("has the same callers and first calls as a recount after each change", () => {
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
          const now = new Map(expected.callers.map((each) => [each.caller, each.first_call_id]));
          for (const { caller, first_call_id } of before.callers) {
            see("a caller's last call goes", first_call_id !== null && now.get(caller) === null);
            see("a caller goes", !now.has(caller));
          }
          for (const { caller, first_call_id, first_call_started } of expected.callers) {
            const others = [...facts.values()].filter(
              (each) => each.is_live && each.caller === caller && each.call_id !== first_call_id,
            );
            see(
              "others start at the same moment",
              first_call_started !== null && others.some((each) => each.call_started === first_call_started),
            );
            see(
              "none has a start",
              first_call_id !== null && first_call_started === null && others.length > 0,
            );
            see(
              "a lower id has no start",
              first_call_id !== null &&
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
      "a caller goes": 50,
      "others start at the same moment": 50,
      "none has a start": 50,
      "a lower id has no start": 50,
    };
    expect(
      Object.entries(often).filter(([name, times]) => (seen[name] ?? 0) < least(times)),
      JSON.stringify(seen),
    ).toEqual([]);
  });

  it("distinguishes callers with a common prefix or in different case", () => {
    using made = makeFacts();
    made.write([call(1, 1, "ab"), call(2, 2, "AB"), call(3, 3, "a"), call(4, 4, '"')]);
    expect(made.read()).toMatchObject({
      callers: [{ caller: '"' }, { caller: "AB" }, { caller: "a" }, { caller: "ab" }],
      firsts: [1, 2, 3, 4],
    });
  });

  it("changes the facts only of calls that were or become the first", () => {
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
  it("is known within an open transaction, except for a caller whose first call goes", () => {
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
    const ids = made.toIds(added);
    const firstOf = (removed: NamedCall[]) => {
      const change = made.table.begin(made.toIds(removed), ids);
      return ids.flatMap((each) => (isFirstCall(change, each) ? each.call_id : []));
    };
    expect(firstOf([])).toEqual([4, 6, 8]);
    expect(firstOf([call(2, 2), call(10, 1, null)])).toEqual([4, 6, 8]);
    expect(firstOf([call(1, 1)])).toEqual([4, 8]);
    expect(firstOf([call(1, 1), call(3, 3, "+492")])).toEqual([8]);
    const change = made.table.begin([], ids);
    const others = [call(1, 1), call(3, 3, "+492"), call(11, 9, "+494"), call(6, 0, "+492"), call(6, 0)];
    expect(made.toIds(others).map((each) => isFirstCall(change, each))).toEqual([
      false,
      false,
      false,
      false,
      true,
    ]);
  });
});

/** What was logged since the last time: the reason and the call. */
function logged({ db }: Warehouse): string[] {
  const changes = db.select().from(fact_changes).orderBy(fact_changes.change_id).all();
  db.delete(fact_changes).run();
  return changes.map(({ reason, call_id }) => `${reason} ${call_id}`);
}
