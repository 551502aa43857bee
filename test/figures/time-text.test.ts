import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toTimeText } from "../../src/figures/time-text.ts";
import { draws } from "../support/draws.ts";

describe("toTimeText", () => {
  it("writes times of the years 0 to 9999 like toISOString", () => {
    const [first, last] = [Date.parse("0000-01-01T00:00:00.000Z"), Date.parse("9999-12-31T23:59:59.999Z")];
    const property = fc.property(fc.integer({ min: first, max: last }), (ms) => {
      expect(toTimeText(ms)).toBe(new Date(ms).toISOString());
    });
    fc.assert(property, {
      numRuns: draws(2000),
      examples: [[first], [-1], [0], [last]],
    });
  });
});
