import Database from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Dictionary, type FactValue } from "../../src/figures/dictionary.ts";
import { compareKeys, compareValues, rankShown } from "../../src/figures/key-order.ts";
import { draws } from "../support/draws.ts";

const VALUES = fc.uniqueArray(
  fc.oneof(
    fc.constant(null),
    fc.integer(),
    fc.string({ unit: fc.constantFrom("a", "B", "é", "\uffee", "😀", "\ue000", "~") }),
    fc.string({ unit: "grapheme" }),
  ),
  { maxLength: 30, comparator: "SameValue" },
);

describe("compareValues", () => {
  it("orders null, numbers and texts like SQLite, in the same order as rankShown", () => {
    using database = closing(new Database(":memory:"));
    database.exec("CREATE TABLE listed (value)");
    const insert = database.prepare("INSERT INTO listed VALUES (?)");
    const property = fc.property(VALUES, (values) => {
      database.exec("DELETE FROM listed");
      for (const value of values) insert.run(value);
      const sorted = database.prepare<[], FactValue>("SELECT value FROM listed ORDER BY value").pluck().all();
      expect(values.toSorted(compareValues)).toEqual(sorted);
      const dictionary = new Dictionary();
      for (const value of values) dictionary.codeOf(value);
      const ranks = rankShown(dictionary, (value) => value);
      expect(values.map((value) => sorted.indexOf(value))).toEqual([...ranks]);
    });
    fc.assert(property, { numRuns: draws(300) });
  });
});

describe("compareKeys", () => {
  it("orders weekdays like a calendar, and unknown times last", () => {
    const sort = (local: "weekday" | "hour", ...values: string[]) =>
      values.toSorted((a, b) => compareKeys({ of: { local } }, a, b));
    expect(sort("weekday", "(not set)", "Sunday", "Friday", "Monday")).toEqual([
      "Monday",
      "Friday",
      "Sunday",
      "(not set)",
    ]);
    expect(sort("hour", "(not set)", "10", "09", "00")).toEqual(["00", "09", "10", "(not set)"]);
  });
});

function closing(database: Database.Database): Database.Database & Disposable {
  return Object.assign(database, { [Symbol.dispose]: () => void database.close() });
}
