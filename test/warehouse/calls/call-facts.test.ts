import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AttributionRules, DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import { toCaller } from "../../../src/calls/attribution/call-text.ts";
import type { Call } from "../../../src/calls/columns.ts";
import { prepareUpsertCalls } from "../../../src/warehouse/calls/call-table.ts";
import { readUnsettled, settleCallers } from "../../../src/warehouse/calls/first-load.ts";
import { clearAbsence } from "../../../src/warehouse/calls/gone.ts";
import { counts } from "../../../src/warehouse/counts.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";
import { draws, least } from "../../support/draws.ts";
import { foldFacts } from "../../support/figures/fold-facts.ts";
import { arbitraryCalls, arbitraryNameRules, makeCall } from "../../support/warehouses/calls.ts";
import {
  deleteCalls,
  markGone,
  newWarehouse,
  readFacts,
  setRules,
  storeCalls,
} from "../../support/warehouses/warehouse.ts";

type Step =
  | { kind: "page" | "load"; calls: readonly Call[]; ids: readonly number[] }
  | { kind: "gone" | "returned"; ids: readonly number[] }
  | { kind: "rules"; rules: AttributionRules };

/** Few ids, callers and times, so that calls of one caller come late, change places, vanish and return. */
const ids = fc.integer({ min: 1, max: 12 });
const others = fc.record({
  call_id: ids,
  caller_id: fc.constantFrom("+491", "+49 1", "+492", "(+492)", null),
  call_started: fc.constantFrom(
    null,
    null,
    "2026-01-01T00:00:00.000Z",
    "2026-01-01T00:00:00.001Z",
    "2026-12-31T23:59:59.999Z",
  ),
});
const pages = arbitraryCalls(6).chain((calls) =>
  fc
    .array(others, { minLength: calls.length, maxLength: calls.length })
    .map((others) => calls.map((call, index) => ({ ...call, ...others[index] }))),
);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constantFrom("page" as const, "page" as const, "page" as const, "load" as const),
        calls: pages,
        ids: fc.uniqueArray(ids, { maxLength: 2 }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constantFrom("gone" as const, "returned" as const),
        ids: fc.uniqueArray(ids, { maxLength: 6 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("rules" as const),
        rules: fc.record({
          answered: fc.subarray(["answered", "busy"]),
          missed: fc.subarray(["no answer", "busy"]),
          qualified_seconds: fc.constantFrom(0, 60),
          duration_unit: fc.constantFrom("seconds" as const, "milliseconds" as const),
          aliases: fc.constantFrom<Record<string, string>>({}, { google: "bing" }),
          ...arbitraryNameRules,
          topics: fc.constantFrom<AttributionRules["topics"]>(
            [],
            [{ topic: "tap", phrase: "tap", speaker: null, qualifies: true, value: null }],
          ),
        }),
      }),
    },
  ),
  { minLength: 1, maxLength: 12 },
);

/** The history of a warehouse, in memory. */
class History {
  readonly calls = new Map<number, Call>();
  readonly gone = new Set<number>();
  rules = DEFAULT_RULES;
  /** How often the relevant events happened. */
  readonly seen: Record<string, number> = {};

  #see(name: string, times: number): void {
    this.seen[name] = (this.seen[name] ?? 0) + times;
  }

  /** The facts of all calls computed from scratch, and their callers. */
  read() {
    const calls = [...this.calls.values()].map((call) => ({ ...call, isGone: this.gone.has(call.call_id) }));
    return foldFacts(calls, this.rules);
  }

  /** Takes a step; returns what must be stored afterwards. */
  take(warehouse: Warehouse, step: Step) {
    const before = new Map(this.read().callers.map(({ caller, first_call_id }) => [caller, first_call_id]));
    writeTransaction(warehouse, () => this.#apply(warehouse, step));
    const expected = this.read();
    const { callers, facts } = expected;
    for (const { caller, first_call_id, first_call_started } of callers) {
      if (first_call_id === null) this.#see("without live calls", 1);
      const own = facts.filter((call) => call.caller === caller && call.is_live);
      const others = own.filter(({ call_id }) => call_id !== first_call_id);
      this.#see(
        "first by time, not by id",
        Number(others.some(({ call_id }) => call_id < Number(first_call_id))),
      );
      this.#see(
        "of several at one moment",
        Number(others.some((call) => call.call_started === first_call_started)),
      );
      this.#see(
        "of unknown time among others",
        Number(first_call_id !== null && first_call_started === null && others.length > 0),
      );
      this.#see("displaced", Number(before.has(caller) && before.get(caller) !== first_call_id));
    }
    this.#see("without a caller", facts.filter(({ caller }) => caller === null).length);
    this.#see(step.kind, 1);
    return expected;
  }

  #apply(warehouse: Warehouse, step: Step): void {
    if (step.kind === "page" || step.kind === "load") {
      for (const call of step.calls) {
        const known = this.calls.get(call.call_id);
        const isOther = known !== undefined && toCaller(known.caller_id) !== toCaller(call.caller_id);
        this.#see("of another caller now", Number(isOther));
      }
      const isFirstLoad = step.kind === "load";
      storeCalls(warehouse, step.calls, { isFirstLoad });
      for (const call of step.calls) this.calls.set(call.call_id, call);
      if (isFirstLoad) {
        // Calls may disappear while callers are not computed.
        this.#gone(warehouse, step.ids);
        writeTransaction(warehouse, (tx) => settleCallers(tx));
        this.#see("settled", 1);
      }
      // A call that is read exists again.
      this.#returned(
        warehouse,
        step.calls.map(({ call_id }) => call_id),
      );
    } else if (step.kind === "gone") {
      this.#gone(warehouse, step.ids);
    } else if (step.kind === "rules") {
      setRules(warehouse, step.rules);
      this.rules = step.rules;
    } else {
      this.#returned(warehouse, step.ids);
    }
  }

  /** Also calls that are already gone or never existed. */
  #gone(warehouse: Warehouse, ids: readonly number[]): void {
    markGone(warehouse, ids);
    for (const id of ids) if (this.calls.has(id)) this.gone.add(id);
    this.#see("goes", ids.length);
  }

  #returned(warehouse: Warehouse, ids: readonly number[]): void {
    writeTransaction(warehouse, (tx) => clearAbsence(tx, ids));
    for (const id of ids) this.#see("comes back", Number(this.gone.delete(id)));
  }
}

function readStored(warehouse: Warehouse) {
  return {
    ...readFacts(warehouse),
    counts: warehouse.db.select().from(counts).all(),
  };
}

describe("a first load", () => {
  it("stores no callers and no first calls until the load ends, whatever disappears and returns meanwhile", () => {
    using warehouse = newWarehouse();
    const at = (hour: number) => `2026-01-01T0${hour}:00:00.000Z`;
    const load = [5, 4, 3].map((id) => makeCall({ call_id: id, caller_id: "+491", call_started: at(id) }));
    writeTransaction(warehouse, (tx) => {
      const upsert = prepareUpsertCalls(warehouse, 1, { isFirstLoad: true });
      for (const call of load) upsert(tx, [call]);
      markGone(warehouse, [3, 5]);
      clearAbsence(tx, [5]);
    });
    const read = () => {
      const { facts, callers } = readStored(warehouse);
      return {
        facts: facts.map(({ call_id, is_live, is_first_call }) => [call_id, is_live, is_first_call]),
        callers: callers.map(({ first_call_id }) => first_call_id),
        unsettled: readUnsettled(warehouse),
      };
    };
    expect(read()).toEqual({
      facts: [
        [3, false, false],
        [4, true, false],
        [5, true, false],
      ],
      callers: [null],
      unsettled: 3,
    });
    writeTransaction(warehouse, (tx) => settleCallers(tx));
    expect(read()).toEqual({
      facts: [
        [3, false, false],
        [4, true, true],
        [5, true, false],
      ],
      callers: [4],
      unsettled: 0,
    });
  });

  it("without calls leaves nothing unsettled and does not change the indexes", () => {
    using warehouse = newWarehouse();
    const indexes = () =>
      warehouse.sqlite.prepare("SELECT name FROM sqlite_schema WHERE type = 'index'").pluck().all();
    const before = indexes();
    storeCalls(warehouse, [], { isFirstLoad: true });
    expect([readStored(warehouse).counts, indexes()]).toEqual([[{ name: "calls", value: 0 }], before]);
  });
});

describe("the facts of a warehouse", () => {
  it("equal those computed from scratch after any sequence of calls and rules", () => {
    using warehouse = newWarehouse();
    const seen: Record<string, number> = {};
    fc.assert(
      fc.property(steps, (steps) => {
        deleteCalls(warehouse);
        setRules(warehouse, DEFAULT_RULES);
        const history = new History();
        for (const step of steps) {
          const expected = history.take(warehouse, step);
          expect(readStored(warehouse)).toEqual(expected);
        }
        for (const [name, times] of Object.entries(history.seen)) seen[name] = (seen[name] ?? 0) + times;
      }),
      { numRuns: draws(150) },
    );
    const often = {
      rules: 15,
      goes: 100,
      "comes back": 20,
      settled: 20,
      displaced: 60,
      "of another caller now": 50,
      "first by time, not by id": 50,
      "of several at one moment": 50,
      "of unknown time among others": 5,
      "without a caller": 100,
    };
    expect(
      Object.entries(often).filter(([name, times]) => (seen[name] ?? 0) < least(times)),
      JSON.stringify(seen),
    ).toEqual([]);
  });
});
