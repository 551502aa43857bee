import { describe, expect, it } from "vitest";
import { findUnjudged, isChangeWithinChance } from "../../src/figures/change-chance.ts";
import type { FactValue } from "../../src/figures/dictionary.ts";

describe("isChangeWithinChance", () => {
  const judge = (figure: string, row: Record<string, FactValue>) =>
    isChangeWithinChance(figure, (column) => row[column], { times: 1, isCovered: true });

  it("returns undefined for a withheld change, such as that of first-time callers without history", () => {
    const row = { first_time_callers: 4, first_time_callers_previous: 5 };
    expect(judge("first_time_callers", { ...row, first_time_callers_change: null })).toBeNull();
    expect(judge("first_time_callers", { ...row, first_time_callers_change: -0.2 })).toBe(true);
  });

  it("judges a rate by the calls that it divides", () => {
    const rate = { answer_rate_in_hours: 0.5, answer_rate_in_hours_previous: 1 };
    const row = { ...rate, answer_rate_in_hours_change: -0.5, calls: 2, calls_previous: 2 };
    expect(judge("answer_rate_in_hours", row)).toBeNull();
    expect(judge("answer_rate_in_hours", { ...row, calls_in_hours: 2, calls_in_hours_previous: 2 })).toBe(
      true,
    );
    const many = { ...row, calls_in_hours: 200, calls_in_hours_previous: 200 };
    expect(judge("answer_rate_in_hours", many)).toBe(false);
    expect(findUnjudged(["answer_rate_in_hours", "calls"])).toEqual({
      rate: "answer_rate_in_hours",
      whole: "calls_in_hours",
    });
    expect(findUnjudged(["answer_rate", "calls", "missed_in_hours"])).toBeUndefined();
  });

  it("judges a growth from 0, which has no ratio", () => {
    expect(judge("calls", { calls: 1, calls_previous: 0, calls_change: null })).toBe(true);
    expect(judge("calls", { calls: 20, calls_previous: 0, calls_change: null })).toBe(false);
  });
});
