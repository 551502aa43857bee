import { describe, expect, it } from "vitest";
import { maskNumbers, toNational } from "../../src/attribution/phone-mentions.ts";

const mask = (text: string, ...numbers: string[]) => maskNumbers(text, (number) => numbers.includes(number));

describe("maskNumbers", () => {
  it.each([
    "+12145550123",
    "12145550123",
    "0012145550123",
    "+1 214 555 0123",
    "+1 (214) 555-0123",
    "(214) 555-0123",
    "214.555.0123",
    "2145550123",
    "0214 555 0123",
    "tel:+1-214-555-0123;ext=2",
    "%2B12145550123",
    "%2B1%20214%20555%200123",
    '{"number":12145550123}',
  ])("finds a number however it is written: %s", (spelling) => {
    const masked = mask(`at ${spelling}, 12:30, not 5550123`, "+12145550123", "2145550123");
    expect(masked.replace(/^at (.*), 12:30, not 5550123$/, "$1")).not.toMatch(/0123|555/);
    expect(masked).toMatch(/, 12:30, not 5550123$/);
  });

  it("leaves JSON what it was", () => {
    const json = JSON.stringify({ a: 12145550123, b: ["+1 214 555 0123", 7] });
    expect(JSON.parse(mask(json, "+12145550123"))).toEqual({ a: 99999999999, b: ["+9 999 999 9999", 7] });
  });

  it("finds one with a zero in parentheses, and one of two in a row", () => {
    expect(mask("+49 (0)30 1234567", "+49301234567")).toBe("+99 (9)99 9999999");
    expect(mask("+1 214 555 0123 +1 214 555 0124", "+12145550124")).toBe("+1 214 555 0123 +9 999 999 9999");
  });

  it("takes neither dates, nor longer numbers, nor those of another country for one", () => {
    const norwegian = ["+4720261005", "20261005"];
    expect(mask("on 2026-10-05T10:00", ...norwegian)).toBe("on 2026-10-05T10:00");
    expect(mask("id 920261005, +20261005", ...norwegian)).toBe("id 920261005, +20261005");
    expect(mask("call 20 26 10 05", ...norwegian)).toBe("call 99 99 99 99");
  });
});

describe("toNational", () => {
  it("takes away country codes of one, two and three digits", () => {
    expect(["+12145550123", "+493012345", "+3725123456", "+49301", "anonymous"].map(toNational)).toEqual([
      "2145550123",
      "3012345",
      "5123456",
      null,
      null,
    ]);
  });
});
