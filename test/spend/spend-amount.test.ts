import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatMicros } from "../../src/currency.ts";
import {
  DECIMAL_SIGNS,
  isAmbiguous,
  isNothing,
  signsOf,
  toMicros,
  toNumberText,
} from "../../src/spend/spend-amount.ts";

describe("toNumberText", () => {
  it.each([
    ["12.34", "point", 12_340_000, null],
    ["1,204.50", "point", 1_204_500_000, null],
    ["1.204,50", "comma", 1_204_500_000, null],
    ["1 204,50", "comma", 1_204_500_000, null],
    ["1\u00a0204,50", "comma", 1_204_500_000, null],
    ["1\u202f204,50 €", "comma", 1_204_500_000, "EUR"],
    ["1'204.50", "point", 1_204_500_000, null],
    ["12,34,567.89", "point", 1_234_567_890_000, null],
    ["$1,204.5", "point", 1_204_500_000, null],
    ["12,50 kr", "comma", 12_500_000, null],
    ["US$ 12", "point", 12_000_000, null],
    ["USD 12.5", "point", 12_500_000, "USD"],
    ["12,5 EUR", "comma", 12_500_000, "EUR"],
    ["₹12.50", "point", 12_500_000, "INR"],
    ["-12.50", "point", -12_500_000, null],
    ["-$12.50", "point", -12_500_000, null],
    ["\u221212.50", "point", -12_500_000, null],
    ["($12.50)", "point", -12_500_000, null],
    ["-0.00", "point", 0, null],
    ["0,123", "comma", 123_000, null],
    ["0.000001", "point", 1, null],
    ["1000000000", "point", 1e15, null],
    ["12.3400000000", "point", 12_340_000, null],
  ] as const)("reads %s", (text, sign, micros, currency) => {
    const number = toNumberText(text);
    if (number === undefined) throw new Error("It is no number");
    expect([toMicros(number, sign), number.currency]).toEqual([micros, currency]);
  });

  it.each([
    "abc",
    "x0",
    "abc12",
    "12 x",
    "12.3.4",
    "1,2,3",
    "1,23.4",
    "12 34",
    "1 2,3",
    "--5",
    "-5-",
    "(5",
    "5)",
    "5%",
    "1e5",
    "12.",
    ".",
    "=1+1",
    "0,123,456.00",
    "١٢",
  ])("takes %s for no number", (text) => {
    expect(toNumberText(text)).toBeUndefined();
  });

  it("does not decide what 1,204 is", () => {
    const both = ["1,204", "1.204", "12,345"].map((text) => toNumberText(text));
    expect(both.map((number) => number && isAmbiguous(number))).toEqual([true, true, true]);
    const clear = ["12", "1234,567", "0.204", "1,204,567", "1 204"].map((text) => toNumberText(text));
    expect(clear.map((number) => number && isAmbiguous(number))).toEqual([false, false, false, false, false]);
  });

  it("has no digits behind the sixth, and nothing above a billion", () => {
    for (const text of ["0.0000001", "1000000000.01", "99999999999999999999"]) {
      const number = toNumberText(text);
      expect(number && toMicros(number, "point")).toBeNaN();
    }
  });

  it("reads any amount to the last digit, however it is grouped", () => {
    const group = (digits: string, sign: string) => digits.replace(/\B(?=(\d{3})+$)/g, sign);
    fc.assert(
      fc.property(
        fc.integer({ min: -1e15, max: 1e15 }),
        fc.constantFrom(...DECIMAL_SIGNS),
        fc.boolean(),
        (micros, sign, isGrouped) => {
          const [whole = "", fraction = ""] = formatMicros(BigInt(micros)).replace("-", "").split(".");
          const [decimal, thousands] = sign === "point" ? [".", ","] : [",", "."];
          const text = `${micros < 0 ? "-" : ""}${isGrouped ? group(whole, thousands) : whole}${decimal}${fraction}`;
          const number = toNumberText(text);
          if (number === undefined) throw new Error(`${text} is no number`);
          expect(signsOf(number)).toContain(sign);
          expect(toMicros(number, sign)).toBe(micros);
        },
      ),
    );
  });
});

describe("isNothing", () => {
  it("knows what platforms write for no figure", () => {
    expect(["", " ", "-", "--", "–", "—", "N/A", "n/a"].every(isNothing)).toBe(true);
    expect(["0", "-5", "---", "none"].some(isNothing)).toBe(false);
  });
});
