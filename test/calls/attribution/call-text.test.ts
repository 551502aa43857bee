import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  foldUtm,
  presentId,
  presentNumber,
  presentText,
  toCaller,
  toCaseless,
  toClientId,
  toComparableDisposition,
  toPhoneDigits,
} from "../../../src/calls/attribution/call-text.ts";

describe("foldUtm", () => {
  it.each([
    { value: "google", folded: "google" },
    { value: " Google\t", folded: "google" },
    { value: "\u00a0GOOGLE\ufeff", folded: "google" },
    { value: "Face \u2003\n Book", folded: "face book" },
    { value: "ÉTÉ", folded: "été" },
    { value: "İ", folded: "i\u0307" },
    { value: "Straße", folded: "straße" },
    { value: "ΌΔΟΣ", folded: "όδος" },
    { value: "\u3000 \r\n", folded: "" },
    { value: "", folded: "" },
    { value: "a\0B", folded: "a\0b" },
    { value: " NULL ", folded: "" },
    { value: "undefined", folded: "" },
    { value: "(Not  Set)", folded: "" },
    { value: "{keyword}", folded: "" },
    { value: "{{campaign.name}}", folded: "" },
    { value: "brand-{keyword}", folded: "" },
    { value: "{keyword}-brand", folded: "" },
    { value: "fb_{{campaign.na", folded: "" },
    { value: "%7B%7Bcampaign.name%7D%7D", folded: "" },
    { value: "%257Bkeyword%257D", folded: "" },
    { value: "__CAMPAIGN_NAME__", folded: "" },
    { value: "tt___CAMPAIGN_NAME__", folded: "" },
    { value: "%5F%5FCID%5F%5F", folded: "" },
    { value: "*|CAMPAIGN_UID|*", folded: "" },
    { value: "news-*|DATE:d/m|*", folded: "" },
    { value: "%%emailname_%%", folded: "" },
    { value: "(none)", folded: "" },
    { value: "(Organic)", folded: "" },
    { value: "%28not+set%29", folded: "" },
    { value: "us__brand__new", folded: "us__brand__new" },
    { value: "50%", folded: "50%" },
    { value: "50%E4 off %7", folded: "50%e4 off %7" },
    { value: "(brand)", folded: "(brand)" },
    { value: "nullify", folded: "nullify" },
    { value: "*|", folded: "*|" },
    { value: "Zu\u0308rich", folded: "z\u00fcrich" },
    { value: "\u0085Google\u0085Ads", folded: "google ads" },
  ])("folds $value to $folded", ({ value, folded }) => {
    expect(foldUtm(value)).toBe(folded);
  });

  it("returns folded text unchanged", () => {
    const blanks = fc.string({ unit: fc.constantFrom(" ", "\t", "\u00a0", "A", "a", "É", "İ") });
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), blanks), (value) => {
        expect(foldUtm(foldUtm(value))).toBe(foldUtm(value));
      }),
    );
  });

  it("returns the same key for composed and decomposed spellings", () => {
    const letters = fc.constantFrom("ü", "é", "İ", "ǆ", "ẞ", "한", "ͅ", "\u0308", "\u0323", "a", "I", " ");
    let different = 0;
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: letters }), fc.string({ unit: "binary" })), (value) => {
        const [composed, decomposed] = [value.normalize("NFC"), value.normalize("NFD")];
        if (composed !== decomposed) different++;
        expect(new Set([value, composed, decomposed].map(foldUtm)).size).toBe(1);
        expect(new Set([value, composed, decomposed].map(presentText)).size).toBe(1);
        expect(new Set([value, composed, decomposed].map(toComparableDisposition)).size).toBe(1);
      }),
    );
    expect(different).toBeGreaterThan(20);
  });
});

describe("presentText", () => {
  it("treats (not set) as missing, with any white space in it", () => {
    expect([" (Not\u00a0 set) ", "(not-set)", "(total)"].map(presentText)).toEqual([
      null,
      "(not-set)",
      "(total)",
    ]);
  });
});

describe("presentId", () => {
  it("does not change a click id except for surrounding blanks", () => {
    expect([" Cju\u0308 ", "{gclid}", " "].map(presentId)).toEqual(["Cju\u0308", null, null]);
  });
});

describe("toClientId", () => {
  it.each([
    { text: "GA1.2.123.456", id: "123.456" },
    { text: " GA1.1-2.123.456", id: "123.456" },
    { text: "123.456", id: "123.456" },
    { text: "null", id: null },
    { text: null, id: null },
  ])("of $text is $id", ({ text, id }) => {
    expect(toClientId(text)).toBe(id);
  });
});

describe("toCaseless", () => {
  it("returns the same for a character, its upper case and its lower case", () => {
    const cased = Array.from({ length: 0x110000 }, (_, point) => String.fromCodePoint(point)).filter(
      (sign) => sign.toUpperCase() !== sign || sign.toLowerCase() !== sign,
    );
    const told = cased.filter(
      (sign) => new Set([sign, sign.toUpperCase(), sign.toLowerCase()].map(toCaseless)).size > 1,
    );
    expect(cased.length).toBeGreaterThan(2500);
    expect(told).toEqual([]);
    expect(new Set(["STRAẞE", "Straße", "STRASSE"].map(toCaseless)).size).toBe(1);
  });
});

describe("toComparableDisposition", () => {
  it("distinguishes dispositions of only - and _, and never returns an empty one", () => {
    expect(["-", " - ", "__", "_  _"].map(toComparableDisposition)).toEqual(["-", "-", "__", "_ _"]);
  });

  it.each([
    "no answer",
    "NO_ANSWER",
    "\u3000No\u00a0 \u2003answer\u0085",
    "\ufeffno\t\nanswer",
    "-no--answer_",
  ])("reads %j as no answer", (disposition) =>
    expect(toComparableDisposition(disposition)).toBe("no answer"),
  );
});

describe("toPhoneDigits", () => {
  it("distinguishes numbers only by their digits, whatever surrounds or separates them", () => {
    const digits = fc.stringMatching(/^[1-9]\d{2,14}$/);
    const between = fc.constantFrom(
      "",
      "",
      " ",
      "-",
      "/",
      ".",
      "(",
      ")",
      "\u00a0",
      "\u2011",
      "\u2013",
      "\u200b",
      "\u202a",
    );
    const before = fc.constantFrom("+", "00", "", " +", "++", "+00", "(+", "\u202a+", "0 0 ");
    const spelled = digits.chain((number) =>
      fc.record({
        number: fc.constant(number),
        before,
        between: fc.array(between, { minLength: number.length, maxLength: number.length }),
      }),
    );
    fc.assert(
      fc.property(spelled, ({ number, before, between }) => {
        const text = before + [...number].map((digit, at) => digit + between[at]).join("");
        expect(toPhoneDigits(text)).toBe(`+${number}`);
        expect(toPhoneDigits(toPhoneDigits(text))).toBe(`+${number}`);
      }),
    );
  });

  it.each([
    { text: "＋４９ ３０", digits: "+4930" },
    { text: "030 1234", digits: "+0301234" },
    { text: "Anonymous", digits: "anonymous" },
    { text: "sip:49@pbx", digits: "sip49pbx" },
    { text: "Desk 12", digits: "desk12" },
    { text: "12 Desk", digits: "12desk" },
    { text: "0000 49", digits: "+49" },
    { text: " + ", digits: "" },
    { text: "00", digits: "" },
  ])("returns $digits for $text", ({ text, digits }) => {
    expect(toPhoneDigits(text)).toBe(digits);
  });
});

describe("toCaller", () => {
  it.each([
    { callerId: " 0049 (30) 77", caller: "+493077" },
    ...["Anonymous", "Restricted", "unknown", "Private number", "Unbekannt", "非通知"].map((callerId) => ({
      callerId,
      caller: null,
    })),
    ...["anonymous@10.0.0.1", "sip:anonymous@pbx7.example"].map((callerId) => ({ callerId, caller: null })),
    ...[
      "+266696687",
      "7378742833",
      "+2562533",
      "+8656696",
      "+86282452253",
      "+7748283",
      "+1 266 696 687",
      "0",
      "0000",
    ].map((callerId) => ({
      callerId,
      caller: null,
    })),
    { callerId: "+2666966870", caller: "+2666966870" },
    { callerId: "sip:49@pbx", caller: "sip49pbx" },
    { callerId: "\u0664\u0669", caller: "+49" },
    { callerId: "5.12555E+09", caller: null },
    { callerId: "{caller}", caller: null },
    { callerId: "null", caller: null },
    { callerId: "-", caller: null },
    { callerId: "00", caller: null },
    { callerId: null, caller: null },
  ])("of $callerId is $caller", ({ callerId, caller }) => {
    expect(toCaller(callerId)).toBe(caller);
  });
});

describe("presentNumber", () => {
  it.each([
    { text: " 0049 (30) 77", number: "+493077" },
    { text: "Front  desk", number: "Front  desk" },
    { text: "-", number: "-" },
    { text: "00", number: "00" },
    { text: "null", number: null },
    { text: "{number}", number: null },
    { text: " ", number: null },
    { text: null, number: null },
  ])("returns $number for $text", ({ text, number }) => {
    expect(presentNumber(text)).toBe(number);
  });
});
