import { expect, it } from "vitest";
import { formatMicros, isCurrency, parseCurrency } from "../../../src/base/text/currency.ts";

it.each([
  [0n, "0.00"],
  [1n, "0.000001"],
  [12_300_000n, "12.30"],
  [-12_345_678n, "-12.345678"],
  [-1n, "-0.000001"],
  [1_000n, "0.001"],
  [1_234_567_890_120_000n, "1234567890.12"],
])("formatMicros of %d is %s", (micros, text) => {
  expect(formatMicros(micros)).toBe(text);
});

it("parseCurrency reads a code in any case, and suggests one near to a mistake", () => {
  expect([parseCurrency("eur"), parseCurrency("JPY")]).toEqual(["EUR", "JPY"]);
  expect([isCurrency("EUR"), isCurrency("eur")]).toEqual([true, false]);
  expect(() => parseCurrency("EURO")).toThrow("must be an ISO 4217 currency code; did you mean EUR?");
  expect(() => parseCurrency("12345")).toThrow("must be an ISO 4217 currency code; did you mean USD?");
});
