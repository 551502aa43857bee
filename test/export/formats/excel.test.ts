import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { guardFormula, toExcelText } from "../../../src/export/formats/guard.ts";

describe("toExcelText", () => {
  it.each([
    "+4930123456",
    "+49 30 123456",
    "+1 (202) 555-0123",
    "0049",
    "-0",
    "123456789012",
    "-123456789012",
    "123.456",
    "1.50",
    ".5",
    "1E5",
    "1e-5",
    "5%",
    "(5)",
    " 5",
    "1/2",
    "10:30",
    "1".repeat(255),
    "$5",
    "-£1,000",
    "SEPT2",
    "5-Oct",
    "5. Mai",
    "2 août 2026",
    "Oct 5, 2026 10:30 pm",
    "1-mrz",
    "5 pm",
    "TRUE",
    " True ",
    "WAHR",
    "faux",
  ])("writes %j as a text formula", (text) => {
    expect(toExcelText(text)).toBe(`="${text}"`);
  });

  it.each([
    "",
    "0",
    "-5",
    "12345678901",
    "2026-11-20",
    "2026-11-20 08:30:00",
    "google",
    "E5",
    "1E5a",
    "$",
    "Autumn 2026",
    "October",
    "top5",
    "truely",
    "5 Oct sale",
    "5\n",
  ])("leaves %j to guardFormula", (text) => {
    expect(toExcelText(text)).toBe(guardFormula(text));
  });

  it.each(["=1+1", '+1"', '1"&A1&"1', '"+1', "-1+A1", "\t1", "+cmd|' /C calc'!A0"])(
    "does not write %j as a formula",
    (text) => {
      expect(toExcelText(text)).toBe(guardFormula(text));
    },
  );

  it("guards numbers longer than a text in a formula may be, unless they have only digits", () => {
    expect(toExcelText(`+${"1-".repeat(128)}`)).toBe(`'+${"1-".repeat(128)}`);
    expect(toExcelText("1".repeat(256))).toBe("1".repeat(256));
  });

  it("starts with a formula character only for a text of digits and signs, or a number", () => {
    const character = fc.constantFrom(..."=+-@\t\r\n\"'&!|()0123456789.,:/% eEA＝＋");
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 8 }), (text) => {
        expect(toExcelText(text)).toMatch(
          /^(?:="[\d+\-.,:/%() eE]+"$|[+-]?\d+(?:\.\d+)?$|(?![=+\-@\t\r\n＝＋]))/,
        );
      }),
      { numRuns: 2000 },
    );
  });
});
