import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PHONE_NUMBER } from "../../src/base/text/e164.ts";
import {
  isNorthAmerican,
  readingsOf,
  readPhoneNumbers,
  toInternational,
  toPhoneNumber,
} from "../../src/calls/phone-numbers.ts";
import {
  CALLER,
  NATIONAL_SPELLINGS,
  NEIGHBOR,
  NO_NUMBERS,
  PAIRS,
  SPELLINGS,
} from "../support/phone-spellings.ts";

const numbersOf = (text: string) => readPhoneNumbers(text).map(({ number }) => number);

describe("readPhoneNumbers", () => {
  it.each(SPELLINGS)("reads one number, with its country code, in %j", (text) => {
    expect(numbersOf(text)).toEqual([CALLER]);
  });

  it.each(NATIONAL_SPELLINGS)("reads one number, without its country code, in %j", (text) => {
    expect(readPhoneNumbers(text)).toEqual([{ number: "+5125550101", prefix: "" }]);
  });

  it.each(PAIRS)("reads two numbers in %j", (text) => {
    expect(numbersOf(text)).toEqual([CALLER, NEIGHBOR]);
    expect(toPhoneNumber(text)).toBeUndefined();
  });

  it.each(NO_NUMBERS)("reads no number in %j", (text) => {
    expect(readPhoneNumbers(text)).toEqual([]);
    expect(toPhoneNumber(text)).toBeUndefined();
  });

  it.each([
    ["+49 (0)30 1234567", ["+49301234567"]],
    ["+49 (0) 30 / 1234567-0", ["+493012345670"]],
    ["030/1234567", ["+0301234567"]],
    ["0171/1234567 / 0171/7654321", ["+01711234567", "+01717654321"]],
    ["(030) 1234567 (0171) 7654321", ["+0301234567", "+01717654321"]],
    ["512 555 0101 512 555 0102", ["+5125550101", "+5125550102"]],
    ["512-555-0101 or +44 20 7946 0958", ["+5125550101", "+442079460958"]],
    ["1-800-FLOWERS", ["+18003569377"]],
    ["+1 800 GOT-JUNK", ["+18004685865"]],
    ["1-888-4-PLUMBERS", ["+18884758623"]],
    ["512-555-HELP", ["+5125554357"]],
    ["611", ["+611"]],
    ["tel:1001", ["+1001"]],
    ["+4930", ["+4930"]],
    ["512,555,0101", ["+5125550101"]],
    ["Tel. 15,125,550,101", ["+15125550101"]],
    ["512 555 0101 512 555 0102 -", ["+5125550101", "+5125550102"]],
    ["555 0101 555 0102 555 0103", ["+5550101", "+5550102", "+5550103"]],
    // An extension has no length anywhere else.
    ["+44 205551234-5", ["+442055512345"]],
    ["+49 305 5512345-67", ["+49305551234567"]],
    ["1 112 555 0101-12", ["+1112555010112"]],
    ["112-555-0101/02", ["+112555010102"]],
    ["5125 5501013/02", ["+5125550101302"]],
    ["Tel 512-555-0101-02", ["+512555010102"]],
    // The longest number, and one that is too long.
    ["Tel. +49 1512 345678901", ["+491512345678901"]],
    ["Tel. +49 1512 3456789012", []],
    ["+49 1512 345678901", ["+491512345678901"]],
    ["+49 1512 3456789012", []],
    // The shortest.
    ["Tel. 555-0101", ["+5550101"]],
    ["Tel. 555-010", []],
    // Words for withheld numbers, on keys: blocked, restricted, +1 anonymous; the last is a number of +1.
    ["+2562533", []],
    ["7378742833", []],
    ["+1266696687", []],
    ["+17378742833", ["+17378742833"]],
  ])("reads %j as %j", (text, numbers) => {
    expect(numbersOf(text)).toEqual(numbers);
  });

  it.each([
    ["+", "+15125550101"],
    ["+", " +1 (512) 555-0101"],
    ["+", "(+1) 512 555 0101"],
    ["+", "＋49 30 1234567"],
    ["+", "tel:+15125550101"],
    ["+", "tel:%2B15125550101"],
    ["+", "Line 2: +1 512 555 0101"],
    ["00", "00 1 512 555 0101"],
    ["00", "0049 30 1234567"],
    ["", "15125550101"],
    ["", "512 555-0101 x1"],
    ["", "tel:5125550101"],
    ["", "Tel+: 512-555-0101"],
    ["", "512 555 0101 +2"],
  ])("the prefix %j is that of the number in %j", (prefix, text) => {
    expect(toPhoneNumber(text)?.prefix).toBe(prefix);
  });

  it("finds the number again in whatever is written around it, and reads any text without an error", () => {
    const number = fc.stringMatching(/^[2-9]\d{8,11}$/);
    const label = fc.constantFrom("", "Tel. ", "C: ", "\u202a", "'", "Handy - ", "tel:");
    const end = fc.constantFrom("", " x12", ";ext=3", " (home)", ",,1", "#9", " Apparat 7", "\u202c");
    const gap = fc.constantFrom("", " ", "-", ".", "\u2011", "\u00a0");
    fc.assert(
      fc.property(number, label, end, gap, (digits, before, after, between) => {
        const text = `${before}+${digits.match(/\d{1,3}/g)?.join(between)}${after}`;
        expect(numbersOf(text)).toEqual([`+${digits}`]);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 600 }), (text) => {
        for (const each of numbersOf(text)) expect(each).toMatch(/^\+\d{1,15}$/);
      }),
    );
  });
});

const NATIONAL = { number: "+5125550101", prefix: "" } as const;

describe("readingsOf", () => {
  it.each([
    ["+5125550101", "1", ["+5125550101"]],
    ["5125550101", undefined, ["+5125550101"]],
    ["5125550101", "1", ["+5125550101", CALLER]],
    ["15125550101", "1", [CALLER]],
    ["555-0101", "1", ["+5550101"]],
    ["011 44 20 7946 0958", "1", ["+011442079460958", "+442079460958"]],
    ["020 7946 0958", "44", ["+02079460958", "+4402079460958", "+442079460958"]],
    ["8 495 123 45 67", "7", ["+84951234567", "+784951234567", "+74951234567"]],
  ])("returns what %j may be with the country code %j", (text, countryCode, readings) => {
    expect(readPhoneNumbers(text).flatMap((phone) => readingsOf(phone, countryCode))).toEqual(readings);
  });
});

describe("toInternational", () => {
  it.each([
    ["+49 30 1234567", "1", "+49301234567"],
    ["(512) 555-0101", "1", CALLER],
    ["1 512 555 0101", "1", CALLER],
    ["555-0101", "1", undefined],
    ["030 1234567", "49", "+49301234567"],
    ["30 1234567", "49", "+49301234567"],
    ["06 1234567", "39", "+39061234567"],
    // With its country code, or without it?
    ["4930 1234567", "49", undefined],
    ["4930 1234567", undefined, "+49301234567"],
    ["030 1234567", undefined, undefined],
  ])("makes of %j with the country code %j %j", (text, countryCode, number) => {
    const [phone = NATIONAL] = readPhoneNumbers(text);
    expect(toInternational(phone, countryCode)).toBe(number);
    if (number !== undefined) expect(number).toMatch(PHONE_NUMBER);
  });
});

it("isNorthAmerican accepts ten digits of an area code and a number", () => {
  const texts = ["5125550101", "+5125550101", "1125550101", "5121550101", "15125550101", "555-0101"];
  expect(texts.map((text) => readPhoneNumbers(text).every(isNorthAmerican))).toEqual([
    true,
    ...Array(5).fill(false),
  ]);
});
