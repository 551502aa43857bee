import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { divideRounded, roundAway } from "../../src/figures/rounding.ts";

describe("roundAway", () => {
  it.each([
    [0.5, 1],
    [-0.5, -1],
    [2.5, 3],
    [-0.4, 0],
    [2 ** 52 + 1, 2 ** 52 + 1],
    [0.49999999999999994, 1],
  ])("rounds %d to %d like SQLite", (value, rounded) => {
    const database = new Database(":memory:");
    expect(database.prepare("SELECT round(?)").pluck().get(value)).toBe(rounded);
    database.close();
    expect(roundAway(value)).toBe(rounded);
  });
});

describe("divideRounded", () => {
  it.each([
    [3, 20, 1, 0.2],
    [-3, 20, 1, -0.2],
    [1, 3, 4, 0.3333],
    [2.5, 1, 1, 2.5],
    [-1, 100_000, 4, 0],
    [1, 0, 1, null],
    [null, 1, 1, null],
    [1, null, 1, null],
  ])("divides %s by %s to %d decimals", (dividend, divisor, decimals, quotient) => {
    expect(divideRounded(dividend, divisor, decimals)).toBe(quotient);
  });
});
