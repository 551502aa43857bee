import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KINDS } from "../../../src/features/conversions/conversion-kinds.ts";
import type { KnownLine } from "../../../src/features/conversions/upload-table.ts";
import {
  type Order,
  OrderBook,
  toOrders,
  whyNotAdjustable,
} from "../../../src/features/conversions/uploaded-orders.ts";
import { notByChance } from "../../support/draws.ts";

const DAY_MS = 24 * 3_600_000;
const at = (day: number) => new Date(Date.parse("2026-09-01T00:00:00.000Z") + day * DAY_MS).toISOString();

/** Lines of files that were not taken back, including adjustments of conversions that were never reported. */
const line: fc.Arbitrary<KnownLine> = fc
  .record({
    action: fc.constantFrom("convert" as const, "convert" as const, "retract" as const, "restate" as const),
    conversion_name: fc.constantFrom("Call", "Call", "call", '","1'),
    order_id: fc.constantFrom(null, "1", "1", "1-2"),
    call_id: fc.constantFrom(1, 2, -3),
    key_digest: fc.constantFrom("A", "B"),
    reason: fc.constantFrom(null, "gone"),
    value: fc.constantFrom(null, "40", "40.00", "0"),
    currency: fc.constantFrom(null, "EUR"),
    day: fc.nat(5),
    is_every: fc.boolean(),
    qualify: fc.constantFrom("qualified" as const, "sold" as const),
    report_run_id: fc.constantFrom(null, 7),
  })
  .map(({ day, ...others }) => ({
    ...others,
    occurred_at: at(day),
    contents: others.action === "convert" ? "google-ads" : "google-ads-adjustments",
  }));

describe("toOrders", () => {
  it("contains each reported conversion with its latest state, like a search through the list", () => {
    const seen: Record<string, number> = {};
    const see = (name: string) => {
      seen[name] = (seen[name] ?? 0) + 1;
    };
    fc.assert(
      fc.property(fc.array(line, { maxLength: 14, size: "max" }), (lines) => {
        const expected: KnownLine[] = [];
        const said = new Map<KnownLine, Pick<Order, "adjusted_at" | "isRetracted"> & Partial<Order>>();
        for (const each of lines) {
          if (each.action === "convert") {
            expected.push(each);
            said.set(each, { adjusted_at: each.occurred_at, isRetracted: false });
            continue;
          }
          const told = expected.findLast(
            ({ conversion_name, order_id }) =>
              order_id !== null && conversion_name === each.conversion_name && order_id === each.order_id,
          );
          const last = told && said.get(told);
          if (last === undefined) {
            see("of nothing");
            continue;
          }
          see(last.isRetracted ? `${each.action} after retract` : each.action);
          last.adjusted_at = each.occurred_at;
          if (each.action === "retract") last.isRetracted = true;
          else Object.assign(last, { value: each.value, currency: each.currency });
        }
        const before = structuredClone(lines);
        expect(toOrders(lines)).toEqual(expected.map((told) => ({ ...told, ...said.get(told) })));
        expect(lines).toEqual(before);
      }),
      { numRuns: 600 },
    );
    const least = {
      "of nothing": 50,
      retract: 50,
      restate: 50,
      "restate after retract": 10,
      "retract after retract": 10,
    };
    expect(Object.entries(least).filter(([name, times]) => (seen[name] ?? 0) < notByChance(times))).toEqual(
      [],
    );
  });
});

const LINE: KnownLine = {
  action: "convert",
  contents: "google-ads",
  conversion_name: "Call",
  order_id: "1",
  call_id: 1,
  key_digest: "A",
  reason: null,
  value: null,
  currency: null,
  occurred_at: at(0),
  is_every: false,
  qualify: "qualified",
  report_run_id: null,
};

describe("whyNotAdjustable", () => {
  const [order] = toOrders([LINE]);
  const { adjustments } = KINDS["google-ads"];
  it.each([
    { order_id: "1", ms: 54 * DAY_MS, notAdjustable: undefined },
    { order_id: "1", ms: 54 * DAY_MS + 1, notAdjustable: "too old" },
    { order_id: "1", ms: -DAY_MS, notAdjustable: undefined },
    { order_id: "", ms: 0, notAdjustable: undefined },
    { order_id: null, ms: 0, notAdjustable: "no order id" },
    { order_id: null, ms: 55 * DAY_MS, notAdjustable: "no order id" },
  ])("of $order_id after $ms ms is $notAdjustable", ({ order_id, ms, notAdjustable }) => {
    if (order === undefined) throw new Error("There is no order");
    expect(whyNotAdjustable({ ...order, order_id }, adjustments, Date.parse(at(0)) + ms)).toBe(notAdjustable);
  });
});

describe("OrderBook", () => {
  const bookOf = (lines: Partial<KnownLine>[], { canAdjust = true, isEvery = false } = {}) =>
    new OrderBook(toOrders(lines.map((line) => ({ ...LINE, ...line }))), () => canAdjust, isEvery);

  it.each([
    [7, [], "call-7"],
    [7, ["call-7"], "call-7-2"],
    [7, ["call-7", "call-7-2", "call-7-3", "call-70"], "call-7-4"],
    [7, ["call-7-2"], "call-7"],
    [7, ["call-7", "call-7-3"], "call-7-2"],
    [-7, ["call-7", "call--7"], "call--7-2"],
    // Ids of digits alone, of an earlier version.
    [7, ["7", "7-2"], "call-7"],
    [7, ["7", "call-7"], "call-7-2"],
  ])("returns for call %i, after the order ids %j, the id %j", (callId, used, id) => {
    expect(bookOf(used.map((order_id) => ({ order_id }))).freeId(callId)).toBe(id);
  });

  it("finds the order of a call's click, and of another click only if it cannot be retracted", () => {
    const [own, other] = [{ key_digest: "A" }, { key_digest: "B" }];
    expect(bookOf([own]).earlierOf(1, "A")).toMatchObject(own);
    expect(bookOf([own]).earlierOf(2, "A")).toBeUndefined();
    expect(bookOf([other]).earlierOf(1, "A")).toBeUndefined();
    expect(bookOf([other], { canAdjust: false }).earlierOf(1, "A")).toMatchObject(other);
    expect(bookOf([own, { action: "retract" }]).earlierOf(1, "A")).toBeUndefined();
  });

  it("finds clicks of orders that cannot be retracted, or their seconds if each call counts", () => {
    const later = at(1).replace("00.000Z", "00.999Z");
    expect(bookOf([{}]).isTaken("A", later)).toBe(false);
    expect(bookOf([{}], { canAdjust: false }).isTaken("A", later)).toBe(true);
    const every = bookOf([{ occurred_at: at(1) }], { canAdjust: false, isEvery: true });
    expect([later, at(2)].map((time) => every.isTaken("A", time))).toEqual([true, false]);
  });

  it("returns the next free second of a click", () => {
    const book = bookOf([{}]);
    const take = () => book.takeSecond("A", at(0).replace("00.000Z", "00.500Z"));
    expect([take(), take(), book.takeSecond("B", at(0))]).toEqual([
      at(0).replace("00.000Z", "01.000Z"),
      at(0).replace("00.000Z", "02.000Z"),
      at(0),
    ]);
  });
});
