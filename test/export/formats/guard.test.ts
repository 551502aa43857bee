import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toDelimited } from "../../../src/export/formats/delimited.ts";
import { guardFormula } from "../../../src/export/formats/guard.ts";

const FORMULA_STARTS = "=+-@＝＋－＠";
const DELIMITERS = [",", ";", "|", "\t", "\n", "\r", "\r\n", "\u2028"];

/** Whether a spreadsheet might compute a cell, after removing what it ignores. */
function isFormula(cell: string): boolean {
  const start = cell.replace(/^[\s"\uFEFF\u200B\0]+/, "");
  return FORMULA_STARTS.includes(start.charAt(0)) && start !== "" && !/^[+-]?\d+([.:]\d+)?$/.test(start);
}

describe("guardFormula", () => {
  it.each([
    "=1+1",
    "=cmd|' /C calc'!A0",
    "+49 30 123456",
    "--1",
    "-",
    "+.5",
    "-5%",
    "@SUM(A1)",
    "\tgoogle",
    "\n",
    "＝1+1",
    "＋1",
    "－1",
    "＠A1",
    "+49\n",
  ])("puts ' before %j", (text) => {
    expect(guardFormula(text)).toBe(`'${text}`);
  });

  it.each([
    ["x;=cmd|' /C calc'!A0", "x;'=cmd|' /C calc'!A0"],
    ["x,@SUM(A1)", "x,'@SUM(A1)"],
    ["x\t+1+1", "x\t'+1+1"],
    ["a|b|=1", "a|b|'=1"],
    ["a\n=1+1", "a\n'=1+1"],
    ["a\r\n=1+1", "a\r\n'=1+1"],
    ["a;;＝1", "a;;'＝1"],
    ["Sale | -20 % off", "Sale | '-20 % off"],
    ["=1;=2", "'=1;'=2"],
    ["\t=1", "'\t'=1"],
    [" =1", " '=1"],
    ["\u00A0=1", "\u00A0'=1"],
    ["\uFEFF=1", "\uFEFF'=1"],
    ["\u200B@x", "\u200B'@x"],
    ['x; "=1"', 'x; "\'=1"'],
  ])("guards each cell into which %j may be split", (text, guarded) => {
    expect(guardFormula(text)).toBe(guarded);
  });

  it.each([
    "",
    "(not set)",
    "a=1",
    "a - b",
    "'=1+1",
    "0",
    "-5",
    "-5.25",
    "+4930123456",
    "Berlin; +4930123456",
    "CjABC=",
    "😀",
  ])("does not change %j", (text) => {
    expect(guardFormula(text)).toBe(text);
  });

  const piece = fc.oneof(
    fc.constantFrom(...FORMULA_STARTS, ...DELIMITERS, " ", '"', "'", "\u00A0", "\uFEFF", "1", "49", "a"),
    fc.string({ maxLength: 2 }),
  );
  const hostile = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));

  it("leaves no cell that is a formula, at any delimiter", () => {
    let guardedOften = 0;
    fc.assert(
      fc.property(hostile, fc.constantFrom(/(?!)/, /[,;|\t\r\n]/, ...DELIMITERS), (text, delimiter) => {
        const guarded = guardFormula(text);
        if (guarded !== text) guardedOften++;
        expect(guarded.replaceAll("'", "")).toBe(text.replaceAll("'", ""));
        expect(guarded.split(delimiter).filter(isFormula)).toEqual([]);
      }),
      { numRuns: 2000 },
    );
    expect(guardedOften).toBeGreaterThan(200);
  });

  it.each([",", ";", "\t"] as const)(
    "guards a file that is written with %j and read with another delimiter",
    (delimiter) => {
      fc.assert(
        fc.property(hostile, fc.constantFrom(...DELIMITERS), (text, split) => {
          const columns = [
            { name: "a", type: "text" as const },
            { name: "b", type: "text" as const },
          ];
          const file = [...toDelimited({ columns, rows: [["x", text]] }, { delimiter })].join("");
          const lines = file.slice(0, -"\r\n".length);
          expect(lines.split(split).filter(isFormula)).toEqual([]);
        }),
      );
    },
  );

  it.each([
    ["blanks and signs", (count: number) => " =".repeat(count)],
    ["semicolons", (count: number) => ";".repeat(count)],
    ["blanks after a sign", (count: number) => `=${" ".repeat(count)}`],
    ["quotes and semicolons", (count: number) => '";'.repeat(count)],
  ])("takes linear time for %s", (_, toText) => {
    const leastOf = (count: number) => {
      const text = toText(count);
      const times = Array.from({ length: 5 }, () => {
        const started = process.cpuUsage();
        guardFormula(text);
        return process.cpuUsage(started).user;
      });
      return Math.min(...times);
    };
    // 16 times as long; in quadratic time, 256 times as much. Less than a millisecond is too little to compare.
    expect(leastOf(320_000)).toBeLessThan(100 * Math.max(1000, leastOf(20_000)));
  });
});
