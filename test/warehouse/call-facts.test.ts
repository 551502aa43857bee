import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { attributeCall, type CallFacts } from "../../src/attribution/attribute-call.ts";
import { type AttributionRules, DEFAULT_RULES } from "../../src/attribution/attribution-rules.ts";
import type { Call } from "../../src/call.ts";
import { prepareUpsertCalls } from "../../src/warehouse/call-table.ts";
import { clearAbsence } from "../../src/warehouse/gone.ts";
import { openWarehouse, type Warehouse } from "../../src/warehouse/open.ts";
import { call_facts, callers, counts } from "../../src/warehouse/schema.ts";
import { writeTransaction } from "../../src/warehouse/transaction.ts";
import { arbitraryCalls } from "../calls.ts";
import { draws, least } from "../draws.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { deleteCalls, markGone, setRules } from "./facts.ts";

type Step =
  | { kind: "page"; calls: readonly Call[] }
  | { kind: "gone" | "returned"; ids: readonly number[] }
  | { kind: "rules"; rules: AttributionRules };

/** Few ids, callers and times, so that calls of one caller come late, change places, vanish and return. */
const ids = fc.integer({ min: 1, max: 12 });
const pages = arbitraryCalls(6).chain((calls) =>
  fc
    .array(fc.record({ call_id: ids, caller_id: fc.constantFrom("+491", "+49 1", "+492", "(+492)", null) }), {
      minLength: calls.length,
      maxLength: calls.length,
    })
    .map((others) => calls.map((call, index) => ({ ...call, ...others[index] }))),
);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant("page" as const), calls: pages }) },
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
        }),
      }),
    },
  ),
  { minLength: 1, maxLength: 12 },
);

/** What a warehouse went through, kept in memory. */
class History {
  readonly calls = new Map<number, Call>();
  readonly gone = new Set<number>();
  rules = DEFAULT_RULES;
  /** How often a caller's first call became another while the caller stayed. */
  displaced = 0;

  /** The facts of all calls made from scratch, and the callers of the live ones. */
  read() {
    const facts = [...this.calls.values()]
      .sort((a, b) => a.call_id - b.call_id)
      .map((call) => ({ call_id: call.call_id, ...attributeCall(call, this.rules) }));
    const live = facts.filter(({ call_id }) => !this.gone.has(call_id));
    const byCaller = Map.groupBy(
      live.filter(({ caller }) => caller !== null),
      ({ caller }) => caller,
    );
    const firsts = new Map(
      [...byCaller].map(([caller, calls]) => [
        caller,
        { first: calls.toSorted(compare)[0], calls: calls.length },
      ]),
    );
    return {
      facts: facts.map((call) => ({
        ...call,
        is_live: !this.gone.has(call.call_id),
        is_first_call: firsts.get(call.caller)?.first?.call_id === call.call_id,
      })),
      callers: [...firsts]
        .map(([caller, { first, calls }]) => ({
          caller,
          first_call_id: first?.call_id,
          first_call_started: first?.call_started,
          calls,
        }))
        .sort((a, b) => (String(a.caller) < String(b.caller) ? -1 : 1)),
      counts: [{ name: "calls", value: this.calls.size }],
    };
  }

  take(warehouse: Warehouse, step: Step): void {
    const before = new Map(this.read().callers.map(({ caller, first_call_id }) => [caller, first_call_id]));
    writeTransaction(warehouse, () => this.#apply(warehouse, step));
    for (const { caller, first_call_id } of this.read().callers) {
      if (before.has(caller) && before.get(caller) !== first_call_id) this.displaced++;
    }
  }

  #apply(warehouse: Warehouse, step: Step): void {
    if (step.kind === "page") {
      prepareUpsertCalls(warehouse, 1)(step.calls);
      for (const call of step.calls) this.calls.set(call.call_id, call);
      // A call that is read is there again.
      this.#returned(
        warehouse,
        step.calls.map(({ call_id }) => call_id),
      );
    } else if (step.kind === "gone") {
      const known = step.ids.filter((id) => this.calls.has(id) && !this.gone.has(id));
      markGone(warehouse, known);
      for (const id of known) this.gone.add(id);
    } else if (step.kind === "rules") {
      setRules(warehouse, step.rules);
      this.rules = step.rules;
    } else {
      this.#returned(warehouse, step.ids);
    }
  }

  #returned(warehouse: Warehouse, ids: readonly number[]): void {
    clearAbsence(warehouse, ids);
    for (const id of ids) this.gone.delete(id);
  }
}

type Dated = Pick<CallFacts, "call_started"> & { call_id: number };

function compare(a: Dated, b: Dated): number {
  const [first, second] = [a.call_started ?? "~", b.call_started ?? "~"];
  if (first !== second) return first < second ? -1 : 1;
  return a.call_id - b.call_id;
}

function readStored({ db }: Warehouse) {
  return {
    facts: db.select().from(call_facts).orderBy(call_facts.call_id).all(),
    callers: db.select().from(callers).orderBy(callers.caller).all(),
    counts: db.select().from(counts).all(),
  };
}

describe("the facts of a warehouse", () => {
  it("are those made from scratch, whatever calls and rules went through", () => {
    using folder = makeTempFolder();
    using warehouse = openWarehouse(join(folder.path, "calls.db"));
    const seen = { displaced: 0, gone: 0, rules: 0 };
    fc.assert(
      fc.property(steps, (steps) => {
        deleteCalls(warehouse);
        setRules(warehouse, DEFAULT_RULES);
        const history = new History();
        for (const step of steps) {
          history.take(warehouse, step);
          expect(readStored(warehouse)).toEqual(history.read());
          if (step.kind === "rules") seen.rules++;
        }
        seen.displaced += history.displaced;
        seen.gone += history.gone.size;
      }),
      { numRuns: draws(100) },
    );
    expect(seen.displaced).toBeGreaterThan(least(30));
    expect(seen.gone).toBeGreaterThan(least(30));
    expect(seen.rules).toBeGreaterThan(least(15));
  });
});
