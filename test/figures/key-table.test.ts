import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Dictionary } from "../../src/figures/dictionary.ts";
import { KeyTable } from "../../src/figures/key-table.ts";
import { draws } from "../support/draws.ts";

describe("KeyTable", () => {
  it("assigns one code to each combination of values, and returns its values", () => {
    const value = fc.constantFrom(null, "a", "b", "", 1, 2);
    const rows = fc
      .integer({ min: 0, max: 4 })
      .chain((columns) => fc.array(fc.array(value, { minLength: columns, maxLength: columns })));
    const property = fc.property(rows, (keys) => {
      const columns = (keys[0] ?? []).map(() => new Dictionary());
      const table = new KeyTable(columns);
      const coded = columns.map((dictionary, column) =>
        Int32Array.from(keys, (key) => dictionary.codeOf(key[column] ?? null)),
      );
      const codes = table.encode(coded, keys.length);
      for (const [row, key] of keys.entries()) {
        expect(table.codeOf(key)).toBe(codes[row]);
        expect(table.valuesOf(codes[row] ?? 0)).toEqual(key);
      }
      expect(new Set(codes).size).toBe(new Set(keys.map((key) => JSON.stringify(key))).size);
      expect(table.size).toBeGreaterThan(Math.max(-1, ...codes));
    });
    fc.assert(property, { numRuns: draws(300) });
  });
});
