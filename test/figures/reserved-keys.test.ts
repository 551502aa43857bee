import { describe, expect, it } from "vitest";
import {
  NOT_SET,
  OTHER,
  RESERVED_KEYS,
  TOTAL,
  toServed,
  toShown,
  WITH_SPEND,
} from "../../src/figures/reserved-keys.ts";
import { isValue } from "../../src/sources/call-filter.ts";

describe("toShown", () => {
  it.each([
    ["(total)", '"(total)"'],
    ['""(NOT Set)"', '"""(NOT Set)""'],
    ["(other)", '"(other)"'],
    ["(With Spend)", '"(With Spend)"'],
    ["(none)", "(none)"],
    ["x(total)", "x(total)"],
    ["(total)x", "(total)x"],
    ["total", "total"],
    ['"x"', '"x"'],
    ["", ""],
  ])("shows %s as %s, which is found again", (served, shown) => {
    expect([toShown(served), toServed(shown)]).toEqual([shown, served]);
  });

  it("reserves words, and does not change a text in at most one pair of quotes", () => {
    expect(RESERVED_KEYS).toEqual(["(not set)", "(total)", "(with spend)", "(other)"]);
    expect([NOT_SET, TOTAL, WITH_SPEND, OTHER]).toEqual(RESERVED_KEYS);
    for (const text of ["(total)", '"(total)', '(total)"', '(total)""', '""(total)', "x", '"x"', '"', ""])
      expect(toServed(text)).toBe(text);
    expect(["(NOT  Set)", " (not set) ", '"(not set)"', "not set", ""].map(isValue)).toEqual([
      false,
      false,
      true,
      true,
      true,
    ]);
  });
});
