import { describe, expect, it } from "vitest";
import { maskNumbers, toNational } from "../../../src/calls/attribution/mask-numbers.ts";

const mask = (text: string, ...numbers: string[]) => maskNumbers(text, (number) => numbers.includes(number));

/** All digits as nines, but those of escapes and of an extension. */
const inNines = (text: string) =>
  text.replace(/%(?:25)*[\da-f]{2}|&#?\w+;|\\u\w{4}|;ext=2|\p{Nd}/giu, (part) =>
    /^\p{Nd}$/u.test(part) ? "9" : part,
  );

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
  ])("finds a number in any notation: %s", (spelling) => {
    const masked = mask(`at ${spelling}, 12:30, not 5550123`, "+12145550123", "2145550123");
    expect(masked).toBe(`at ${inNines(spelling)}, 12:30, not 5550123`);
  });

  it("does not change the text around the digits, at either end", () => {
    const number = "+12145550123";
    expect(mask("12145550123", number)).toBe("99999999999");
    expect(mask("%2B1%20214%20555%200123!", number)).toBe("%2B9%20999%20999%209999!");
    expect(mask("no number, but 5 digits", number)).toBe("no number, but 5 digits");
  });

  it("finds digits of any script", () => {
    for (const zero of ["٠", "۰", "०", "০", "๐", "０", "𝟎", "𑁦"]) {
      const first = zero.codePointAt(0) ?? 0;
      const spelled = [..."12145550123"].map((digit) => String.fromCodePoint(first + Number(digit))).join("");
      expect(mask(`a ${spelled}, b`, "+12145550123")).toBe("a 99999999999, b");
    }
    expect(mask("1٢14 ५५५ ０123", "+12145550123")).toBe("9999 999 9999");
  });

  it.each([
    "214   555-0123",
    "214\u200b5550123",
    "(214)/555.0123",
    "２１４（）5550123",
    "214\u2212555\u20100123",
    "214, 555, 0123",
    "2, 1, 4, 5, 5, 5, 0, 1, 2, 3",
    "214 ... 555 -- 0123",
    "(214)  - 555·0123",
    String.raw`214\n555\u00a00123`,
    "214&nbsp;555&#45;0123",
    "214%2520555%252D0123",
  ])("accepts %j as one number", (text) => {
    expect(mask(text, "2145550123")).toBe(inNines(text));
  });

  it.each(["214      5550123", "214x5550123", "214 abc 5550123", "214,5550123", "214%5550123"])(
    "does not accept %j as one number",
    (text) => {
      expect(mask(text, "2145550123")).toBe(text);
    },
  );

  it("accepts numbers of 7 to 15 digits after at most three zeros, with any spacing", () => {
    const [shortest, longest] = ["5550123", "491234567890123"];
    expect(mask(shortest, shortest)).toBe("9999999");
    const apart = `0 0 0 ${[...longest].join(" ")}`;
    expect(mask(apart, `+${longest}`)).toBe(apart.replace(/\d/g, "9"));
    for (const text of ["123456", "12 34 56", "1234567890123456789", "1234567890 123456789"]) {
      const asked: string[] = [];
      maskNumbers(text, (number) => asked.push(number) < 0);
      expect(asked.filter((number) => number.replace("+", "").length < 7)).toEqual([]);
      expect(asked.filter((number) => number.replace("+", "").length > 18)).toEqual([]);
    }
  });

  it("prefers the longest number at a position, and masks none twice", () => {
    expect(mask("1214 555 0123 44", "+1214555", "+12145550123")).toBe("9999 999 9999 44");
    expect(mask("1 214 555 0123, 7", "+12145550123", "2145550123", "5550123")).toBe("9 999 999 9999, 7");
  });

  it.each([
    "+2145550123",
    "a + 2145550123",
    "+(2145550123",
    "+ (2145550123",
    "%2b2145550123",
    "x%2B (2145550123",
  ])("accepts %j only as a number in international form", (text) => {
    expect(mask(text, "2145550123")).toBe(text);
    expect(mask(text, "+2145550123")).toBe(inNines(text));
  });

  it.each(["+x2145550123", "+  2145550123", "+((2145550123", "+-2145550123"])(
    "accepts %j as a number in either form",
    (text) => {
      expect(mask(text, "2145550123")).toBe(inNines(text));
      expect(mask(text, "+2145550123")).toBe(inNines(text));
    },
  );

  it("looks up each reading of a number", () => {
    const readingsOf = (text: string) => {
      const asked: string[] = [];
      maskNumbers(text, (number) => asked.push(number) < 0);
      return asked;
    };
    expect(readingsOf("+49 (0)301234567").slice(0, 2)).toEqual(["+490301234567", "+49301234567"]);
    expect(readingsOf("00490301234567")).toEqual(["+490301234567", "+49301234567", "490301234567"]);
    expect(readingsOf("+12145550123")).toEqual(["+12145550123"]);
    expect(readingsOf("0000000")).toEqual(["+", ""]);
  });

  it.each(["2026-10-05", "1999-12-31", "2000-01-30"])("does not mask the date %s", (date) => {
    expect(maskNumbers(date, () => true)).toBe(date);
  });

  it.each([
    "2126-10-05",
    "2026-20-05",
    "2026-10-45",
    "12026-10-05",
    "2026-10-05 12",
    "2026 10 05",
    "20261005",
  ])("does not recognize %s as a date", (text) => {
    expect(maskNumbers(text, () => true)).toBe(text.replace(/\d/g, "9"));
  });

  it("keeps JSON valid and its values equal", () => {
    const json = JSON.stringify({ a: 12145550123, b: ["+1 214 555 0123", 7] });
    expect(JSON.parse(mask(json, "+12145550123"))).toEqual({ a: 99999999999, b: ["+9 999 999 9999", 7] });
  });

  it("masks a number with a zero in parentheses, and one of two adjacent numbers", () => {
    expect(mask("+49 (0)30 1234567", "+49301234567")).toBe("+99 (9)99 9999999");
    expect(mask("+1 214 555 0123 +1 214 555 0124", "+12145550124")).toBe("+1 214 555 0123 +9 999 999 9999");
  });

  it("masks no dates, longer numbers or numbers of another country", () => {
    const norwegian = ["+4720261005", "20261005"];
    expect(mask("on 2026-10-05T10:00", ...norwegian)).toBe("on 2026-10-05T10:00");
    expect(mask("id 920261005, +20261005", ...norwegian)).toBe("id 920261005, +20261005");
    expect(mask("call 20 26 10 05", ...norwegian)).toBe("call 99 99 99 99");
  });
});

/** Country codes of one and of two digits (ITU-T E.164). */
const SHORT_CODES = (
  "1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 " +
  "60 61 62 63 64 65 66 81 82 84 86 90 91 92 93 94 95 98"
).split(" ");

describe("toNational", () => {
  it("removes the country code of any country", () => {
    for (let three = 100; three < 1000; three++) {
      const code = SHORT_CODES.find((short) => String(three).startsWith(short)) ?? String(three);
      expect(toNational(`+${three}555012345`)).toBe(`${three}555012345`.slice(code.length));
    }
  });

  it("returns undefined for a number that is not international or has fewer than 7 digits", () => {
    expect(["+15550123", "+1555012", "+37255501", "+3725550123"].map(toNational)).toEqual([
      "5550123",
      null,
      null,
      "5550123",
    ]);
    const none = ["12145550123", "+02145550123", "x+12145550123", "+12145550123x", "+1 2145550123", ""];
    expect(none.map(toNational)).toEqual(none.map(() => null));
  });

  it("removes country codes of one, two and three digits", () => {
    expect(["+12145550123", "+493012345", "+3725123456", "+49301", "anonymous"].map(toNational)).toEqual([
      "2145550123",
      "3012345",
      "5123456",
      null,
      null,
    ]);
  });
});
