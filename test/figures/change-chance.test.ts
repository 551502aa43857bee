import { describe, expect, it } from "vitest";
import { isChangeWithinChance } from "../../src/figures/change-chance.ts";
import type { FactValue } from "../../src/figures/dictionary.ts";

describe("isChangeWithinChance", () => {
  const judge = (figure: string, row: Record<string, FactValue>) =>
    isChangeWithinChance(figure, (column) => row[column], { times: 1, isCovered: true });

  it("is undefined for a withheld change, such as that of first-time callers without history", () => {
    const row = { first_time_callers: 4, first_time_callers_previous: 5 };
    expect(judge("first_time_callers", { ...row, first_time_callers_change: null })).toBeNull();
    expect(judge("first_time_callers", { ...row, first_time_callers_change: -0.2 })).toBe(true);
  });

  it("judges a growth from 0, which has no ratio", () => {
    expect(judge("calls", { calls: 1, calls_previous: 0, calls_change: null })).toBe(true);
    expect(judge("calls", { calls: 20, calls_previous: 0, calls_change: null })).toBe(false);
  });
});
