import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatMicros } from "../../src/base/text/currency.ts";
import {
  DECIMAL_SIGNS,
  isAmbiguous,
  isNothing,
  signsOf,
  signsOfWhole,
  toMicros,
  toNumberText,
} from "../../src/intake/amount-text.ts";

describe("toNumberText", () => {
  it.each([
    ["12.34", "point", 12_340_000, null],
    ["1.204,50", "comma", 1_204_500_000, null],
    ["1\u00a0204,50", "comma", 1_204_500_000, null],
    ["1\u202f204,50 €", "comma", 1_204_500_000, "EUR"],
    ["1'204.50", "point", 1_204_500_000, null],
    ["12,34,567.89", "point", 1_234_567_890_000, null],
    ["12,50 kr", "comma", 12_500_000, null],
    ["US$ 12", "point", 12_000_000, null],
    ["USD 12.5", "point", 12_500_000, "USD"],
    ["12,5 EUR", "comma", 12_500_000, "EUR"],
    ["₹12.50", "point", 12_500_000, "INR"],
    ["-$12.50", "point", -12_500_000, null],
    ["\u221212.50", "point", -12_500_000, null],
    ["($12.50)", "point", -12_500_000, null],
    ["-0.00", "point", 0, null],
    ["12.3400000000", "point", 12_340_000, null],
    ["50.00-", "point", -50_000_000, null],
    ["$50.00-", "point", -50_000_000, null],
    ["50,00- €", "comma", -50_000_000, "EUR"],
    ["50.00 USD-", "point", -50_000_000, "USD"],
    ["50.00\u2212", "point", -50_000_000, null],
  ] as const)("reads %s", (text, sign, micros, currency) => {
    const number = toNumberText(text);
    if (number === undefined) throw new Error("Not a number");
    expect([toMicros(number, sign), number.currency]).toEqual([micros, currency]);
  });

  it.each([
    ["€5", "EUR"],
    ["₩5", "KRW"],
    ["₺5", "TRY"],
    ["₪5", "ILS"],
    ["₫5", "VND"],
    ["US$5", null],
    ["5$US", null],
    ["£5", null],
    ["¥ 5", null],
    ["EUR 5 €", "EUR"],
  ])("reads the currency in %s", (text, currency) => {
    expect(toNumberText(text)).toEqual({ isNegative: false, body: "5", currency });
  });

  it.each(["kr", "zł", "Rp", "лв"])("accepts %s next to a number as a currency", (sign) => {
    for (const text of [`5 ${sign}`, `${sign}5`, `${sign.toUpperCase()} 5`]) {
      expect([text, toNumberText(text)]).toEqual([text, { isNegative: false, body: "5", currency: null }]);
    }
  });

  it.each([
    ["- 5", true, "5"],
    ["-€ 5", true, "5"],
    ["€-5", true, "5"],
    ["€+5", false, "5"],
    ["(5 €)", true, "5"],
    ["(-5)", true, "5"],
    [" 5 ", false, "5"],
    [" (5) ", true, "5"],
    ["1'204'000.5", false, "1204000.5"],
    ["1’204", false, "1204"],
    ["1\t204 ", false, "1204"],
    ["1,00,000", false, "1,00,000"],
    ["1.000.000", false, "1.000.000"],
    ["1.000.000,5", false, "1.000.000,5"],
  ])("separates the sign of %s", (text, isNegative, body) => {
    expect(toNumberText(text)).toMatchObject({ isNegative, body });
  });

  it.each([
    "--5",
    "-5-",
    "(5)-x",
    "50.00 CR",
    "5%",
    "1e5",
    "12.",
    "=1+1",
    "0,123,456.00",
    "١٢",
    "-€-5",
    "((5))",
    "1234 567",
    "1 20",
    "1234,567.5",
    "1,2,345",
    "1234.567,5",
    "1.204.",
    "1,204,",
    ",5",
    "5 abc",
    "$$5",
    "€€5",
    "",
    " ",
  ])("does not accept %j as a number", (text) => {
    expect(toNumberText(text)).toBeUndefined();
  });

  it("determines possible decimal signs, for a cost and for a number of clicks", () => {
    const found = ["12", "1.5", "1,5", "1.500", "1,500", "1.500,0", "1,500.0", "1,234,567", "1.50"].map(
      (text) => {
        const number = toNumberText(text);
        if (number === undefined) throw new Error(`${text} is not a number`);
        return [text, signsOf(number).join(), signsOfWhole(number).join(), isAmbiguous(number)];
      },
    );
    expect(found).toEqual([
      ["12", "point,comma", "point,comma", false],
      ["1.5", "point", "", false],
      ["1,5", "comma", "", false],
      ["1.500", "point,comma", "comma", true],
      ["1,500", "point,comma", "point", true],
      ["1.500,0", "comma", "comma", false],
      ["1,500.0", "point", "point", false],
      ["1,234,567", "point", "point", false],
      ["1.50", "point", "", false],
    ]);
  });

  it.each([
    ["1000000000.000001", Number.NaN],
    ["-1000000000", -1e15],
    ["-1000000001", Number.NaN],
    ["0.123456", 123_456],
    ["0.1234560", 123_456],
    ["0.1234567", Number.NaN],
    ["-0", 0],
    ["-0.000001", -1],
  ])("converts %s to micros", (text, micros) => {
    const number = toNumberText(text);
    expect(number && toMicros(number, "point")).toBe(micros);
  });

  it("reads any amount exactly, whatever its grouping", () => {
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
          if (number === undefined) throw new Error(`${text} is not a number`);
          expect(signsOf(number)).toContain(sign);
          expect(toMicros(number, sign)).toBe(micros);
        },
      ),
    );
  });
});

describe("isNothing", () => {
  it("recognizes the placeholders of platforms", () => {
    expect(["", " ", "-", "--", "–", "—", "N/A", "n/a"].every(isNothing)).toBe(true);
    expect([" -- ", "\u2013\u2014", "-\u2014", "N/a"].every(isNothing)).toBe(true);
    for (const text of ["0", "-5", "---", "none", "n/a x", "x n/a", "- -", "x"])
      expect([text, isNothing(text)]).toEqual([text, false]);
  });
});
