import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { personalKind } from "../../../src/base/text/personal-text.ts";

const digits = (least: number, most: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: least, maxLength: most }).map((all) => all.join(""));
/** Not the beginning of a date. */
const national = fc
  .tuple(fc.constantFrom("3", "4", "5", "6", "7", "8"), digits(6, 13))
  .map((parts) => parts.join(""));
const separator = fc.constantFrom(
  "",
  " ",
  "-",
  ".",
  "/",
  "_",
  " - ",
  ")",
  " (",
  "\u00a0",
  "\u2011",
  "–",
  "\u200b",
  ",",
  "~",
  "·",
);
const toScript = (zero: number) => (text: string) =>
  text.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
const spelling = fc.constantFrom(
  (text: string) => text,
  toScript(0xff10), // full-width
  toScript(0x0660), // Arabic-Indic
  toScript(0x1d7ce), // mathematical bold
  (text: string) => `%2B${text.replaceAll(" ", "%20")}`,
);
const around = fc.constantFrom("", "Brand ", "tel:", "x", "Herbst–", "+", "00", "(");

const ORDINARY =
  `Brand Search|Q4 2026|Q4 2026-2027|2026-10-01_2026-10-31|20261120|sale_20261001_20261031|31.12.2026|Black Friday 2026
Spring '26 | 20% off|300x250|1200×628|100×200×300|728x90_v2|24/7 Support|1-2-3 Deal|$1,000,000 Giveaway|€ 49,90|DE_Brand_Exact_2026|KW43 2026|2026-W43
120210000000000000|Zahnarzt München (10115)|NRW 40213|iPhone 15 Pro Max|Model 3/Y|A/B test 12 vs 13|Office 365|Top 10 Tips 2026|Route 66|7-Eleven
v1.2.3|10.12.2026 - 24.12.2026|2026/10|Instagram @brand|@brand.shop|Sale @ Berlin|50% @ store|(not set)|(other)|newsletter|cpc|google|Monday|08
Paid Search|example.com|m.facebook.com|Lead Gen 30+ | 5 Mile|100.000 €|Herbst, "groß"|2026-10|99|ad 4567 - v 12|Wave 1, 2, 3|18-24|25–34|55+`
    .split(/[|\n]/)
    .map((text) => text.trim());

describe("personalKind", () => {
  it("finds phone numbers in any spelling", () => {
    let separated = 0;
    fc.assert(
      fc.property(
        national,
        fc.array(separator, { minLength: 14, maxLength: 14 }),
        spelling,
        around,
        (number, signs, spell, before) => {
          const text = [...number]
            .map((digit, index) => (index > 0 && number.length > 0 ? signs[index % 14] : "") + digit)
            .join("");
          if (text !== number) separated++;
          expect(personalKind(before + spell(text)), JSON.stringify(before + spell(text))).toBe(
            "a phone number",
          );
        },
      ),
      { numRuns: 3_000 },
    );
    expect(separated).toBeGreaterThan(2_000);
  });

  it.each([
    "415-555-2026",
    "555-2026",
    "call4155552671now",
    "4155552671 2026-10-31",
    "%EF%BC%94%EF%BC%91%EF%BC%95%EF%BC%95%EF%BC%95%EF%BC%95%EF%BC%92",
    "+1\u202a415\u2066 555\u20692671",
    "①④①⑤⑤⑤⑤②⑥⑦①",
    "202&nbsp;555&nbsp;0199",
    "202&amp;nbsp;555&#160;0199",
    "2025&#53;50199",
    "2025\\u00355\\x30199",
    "202→555→0199",
    "202 -- 555 -- 0199",
    "202....555....0199",
    "202=555=0199",
    "202&555&0199",
    "202×555×0199",
    "202@555@0199",
    "202\u202e555\u{e0001}0199",
    "2026-10-31 123",
    "123456789012345",
    "415%252525252D5552671",
  ])("finds the phone number in %j", (text) => {
    expect(personalKind(text)).toBe("a phone number");
  });

  it.each([
    "jane@example.com",
    "Jane Doe <jane.doe+x@mail.example.co.uk>",
    "jane%40example.com",
    "ｊａｎｅ＠ｅｘａｍｐｌｅ．ｃｏｍ",
    "jane @ example.com",
    "jane%C2%AD%40example.com",
    "j\u200bane@exam\u00adple.com",
    "用户@例子.广告",
    ...Array.from("$!#%*/=}`?^{|~&'", (sign) => `ann${sign}@example.com`),
    "ann.smith&#64;example.com",
    "ann.smith&#x40;example&period;com",
    "ann&commat;example.com",
    "ann%2540example.com",
    "ann\\u0040example.com",
    "ann%26%2364%3Bexample.com",
    "ann%2525252540example.com",
  ])("finds the mail address in %j", (text) => {
    expect(personalKind(text)).toBe("a mail address");
  });

  it(`accepts ${ORDINARY.length} ordinary names`, () => {
    expect(ORDINARY.length).toBeGreaterThan(50);
    // A date with a number of two digits, an id of sixteen, and what is escaped six times.
    const odd = ["2026-10-31 12", "1234567890123456", "ann%252525252540example.com"];
    expect(odd.filter((text) => personalKind(text) !== undefined)).toEqual([]);
    expect(ORDINARY.filter((text) => personalKind(text) !== undefined)).toEqual([]);
  });
});
