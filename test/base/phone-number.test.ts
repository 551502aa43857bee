import { expect, it } from "vitest";
import { hasCountryCode } from "../../src/base/phone-number.ts";

it.each([
  "+15125550100",
  " +1 (512) 555-0100",
  "(+49) 30 1234567",
  "＋49 30 1234567",
  "tel:+15125550100",
  "+ 7 916 …",
])("a phone number with + before its first digit has its country code: %s", (text) =>
  expect(hasCountryCode(text)).toBe(true),
);

it.each([
  "(512) 555-0100",
  "5125550100",
  "15125550100",
  "0049 30 1234567",
  "512 555 0100 +2",
  "+",
  "+a1",
  "",
])("a phone number without + before its first digit has no known country: %j", (text) =>
  expect(hasCountryCode(text)).toBe(false),
);
