import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { guardFormula } from "../../src/export/guard.ts";

describe("guardFormula", () => {
  it.each([
    "=1+1",
    "=cmd|' /C calc'!A0",
    "+1+1",
    "+49 30 123456",
    "-1+1",
    "--1",
    "-",
    "+",
    "+.5",
    "-5%",
    "1e5".padStart(4, "-"),
    "@SUM(A1)",
    "\tgoogle",
    "\rgoogle",
    "\n=1",
    "\n",
    "＝1+1",
    "＋1",
    "－1",
    "＠A1",
    "+49\n",
    "-5\r\n=1",
  ])("puts ' before %j", (text) => {
    expect(guardFormula(text)).toBe(`'${text}`);
  });

  it.each([
    "",
    "google",
    "(not set)",
    "a=1",
    "1-1",
    "'=1+1",
    "0",
    "-5",
    "+5",
    "-5.25",
    "+4930123456",
    "+12025550123",
    "4930123456",
    "CjABC=",
    "é@",
    "😀",
  ])("leaves %j alone", (text) => {
    expect(guardFormula(text)).toBe(text);
  });

  it("leaves no text that starts as a formula does and is no number", () => {
    const start = fc.constantFrom(..."=+-@\t\r\n＝＋－＠", "a", "1", "'");
    const anything = fc.tuple(start, fc.string({ maxLength: 5 })).map((parts) => parts.join(""));
    fc.assert(
      fc.property(anything, (text) => {
        const guarded = guardFormula(text);
        expect([text, `'${text}`]).toContain(guarded);
        const startsAsFormula = "=+-@\t\r\n＝＋－＠".includes(guarded.charAt(0));
        expect(startsAsFormula && guarded.trim() !== guarded).toBe(false);
        if (startsAsFormula) expect(Number(guarded)).not.toBeNaN();
      }),
    );
  });
});
