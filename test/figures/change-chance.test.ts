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
    const row = { ...rate, answer_rate_in_hours_change: -0.5, calls: 4, calls_previous: 3 };
    expect(judge("answer_rate_in_hours", row)).toBeNull();
    expect(judge("answer_rate_in_hours", { ...row, calls_in_hours: 2, calls_in_hours_previous: 1 })).toBe(
      true,
    );
    const many = { ...row, calls_in_hours: 200, calls_in_hours_previous: 100 };
    expect(judge("answer_rate_in_hours", many)).toBe(false);
    expect(findUnjudged(["answer_rate_in_hours", "calls"])).toEqual({
      rate: "answer_rate_in_hours",
      whole: "calls_in_hours",
    });
    expect(findUnjudged(["answer_rate", "calls", "missed_in_hours"])).toBeUndefined();
  });

  it("judges a count by how many times as long the other days are", () => {
    const judgeTimes = (calls: number, calls_previous: number, times: number, others = {}) => {
      const row: Record<string, number> = { calls, calls_previous, calls_change: 9 };
      return isChangeWithinChance("calls", (column) => row[column], { times, isCovered: true, ...others });
    };
    expect(judgeTimes(20, 61, 3)).toBe(true);
    expect(judgeTimes(20, 61, 1)).toBe(false);
    expect(judgeTimes(61, 20, 3)).toBe(false);
    expect(judgeTimes(61, 20, 1 / 3)).toBe(true);
    expect(judgeTimes(20, 61, 3, { isCovered: false })).toBeNull();
    expect(judgeTimes(20, 61, 3, { isUnreached: true })).toBeNull();
    expect(judgeTimes(20, 20, 3)).toBeNull();
  });

  it("judges a growth from 0, which has no ratio", () => {
    expect(judge("calls", { calls: 1, calls_previous: 0, calls_change: null })).toBe(true);
    expect(judge("calls", { calls: 20, calls_previous: 0, calls_change: null })).toBe(false);
  });
});
