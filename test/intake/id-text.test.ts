import { describe, expect, it } from "vitest";
import { readId } from "../../src/intake/id-text.ts";

describe("readId", () => {
  it.each([
    ["20533716084", "20533716084"],
    ["20,533,716,084", "20533716084"],
    ["20 533 716 084", "20533716084"],
    ["20.533.716.084", "20533716084"],
    ["20'533'716'084", "20533716084"],
    ["1,000", "1000"],
    ["20533716084.00", "20533716084"],
    ["'20533716084", "20533716084"],
    ["INV-1,024", "INV-1,024"],
    ["1.024", "1.024"],
    ["111,22", "111,22"],
    ["0,123", "0,123"],
    ["__proto__", "__proto__"],
    ["3e123456", "3e123456"],
  ])("reads %s as %s", (text, id) => {
    expect(readId(text)).toBe(id);
  });

  it.each(["2.05E+10", "2,05337E+10", "'2e9"])("knows that digits of %s are lost", (text) => {
    expect(readId(text)).toBeUndefined();
  });
});
