import { expect, it } from "vitest";
import { groupByCalls } from "../../../src/features/restatements/group-by-calls.ts";
import type { Effect, Restatement } from "../../../src/features/restatements/restatement.ts";

const listed = (ids: readonly number[]) => ids.map((call_id) => ({ call_id, changed: [] }));
const ofCalls = (reason: Effect["reason"], ids: readonly number[], calls = ids.length): Effect => ({
  reason,
  calls,
  effect: calls,
  listed: listed(ids),
});

/** Returns the metrics of each group. */
function groups(...figures: [metric: string, reasons: readonly Effect[], found_at?: string][]) {
  const found = figures.map(
    ([metric, reasons, found_at = "2026-11-01"]): Restatement => ({
      found_at,
      path: "/out/source.csv",
      contents: "source",
      period: "2026-09",
      key: {},
      starts_at: "2026-09-01",
      ends_at: "2026-10-01",
      exported_at: "2026-10-02",
      rules_changed: null,
      metric,
      was: 1,
      now: 2,
      change: 1,
      reasons,
    }),
  );
  return groupByCalls(found).map((group) => group.map(({ metric }) => metric));
}

it("groupByCalls keeps the figures of a call together, and those of others apart", () => {
  const [late, corrected] = [ofCalls("late", [1]), ofCalls("corrected", [2])];
  expect(groups(["a", [late]], ["b", [corrected]], ["c", [late]])).toEqual([["a", "c"], ["b"]]);
  expect(groups(["a", [late]], ["b", [corrected]], ["c", [late, corrected]])).toEqual([["a", "b", "c"]]);
  expect(groups(["a", [late]], ["b", [late], "2026-10-31"])).toEqual([["a"], ["b"]]);
});

it("groupByCalls takes calls that are not listed for the same of one reason", () => {
  const [some, others] = [ofCalls("rules", [1, 2], 40), ofCalls("rules", [3, 4], 50)];
  expect(groups(["a", [some]], ["b", [others]], ["c", [ofCalls("rules", [5])]])).toEqual([["a", "b"], ["c"]]);
  const spend: Effect = { reason: "spend_changed", calls: null, effect: 1 };
  const unlisted: Effect = { reason: "late", calls: 1, effect: 1 };
  expect(groups(["a", [spend]], ["b", [unlisted]], ["c", [spend]])).toEqual([["a", "c"], ["b"]]);
});
