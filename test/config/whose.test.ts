import { describe, expect, it } from "vitest";
import { parseLocale, parseTitle } from "../../src/config/setting-parsers.ts";

describe("parseTitle", () => {
  it.each([
    [" Northwind Dental ", "Northwind Dental"],
    ["<script>alert(1)</script>", "<script>alert(1)</script>"],
    ["רופא שיניים", "רופא שיניים"],
    ["é".repeat(100), "é".repeat(100)],
    ["👩‍🔧 Plumbing", "👩‍🔧 Plumbing"],
  ])("accepts %j", (text, title) => {
    expect(parseTitle(text)).toBe(title);
  });

  const HIDDEN = "must be one line without control characters and invisible ones";
  it.each([
    ["  ", "is empty"],
    ["Calls\r\nBcc: eve@example.com", HIDDEN],
    ["a\u2028b", HIDDEN],
    ["\u202Eevil", HIDDEN],
    ["a\0", HIDDEN],
    ["é".repeat(300), "has 300 characters; the maximum is 100"],
  ])("refuses %j", (text, message) => {
    expect(() => parseTitle(text)).toThrow(new Error(message));
  });
});

describe("parseLocale", () => {
  it.each([
    ["de-de", "de-DE"],
    ["en", "en"],
    ["zh-Hant-TW", "zh-Hant-TW"],
  ])("returns %s as %s", (text, tag) => {
    expect(parseLocale(text)).toBe(tag);
  });

  it.each([
    ["xx-notreal", "xx-notreal is not a known locale (BCP 47), such as en-US or de-DE"],
    ["en_US.UTF-8", "en_US.UTF-8 is not a known locale (BCP 47); did you mean en-US?"],
    ["german", "german is not a known locale (BCP 47), such as en-US or de-DE"],
    ["<b>", "<b> is not a known locale (BCP 47), such as en-US or de-DE"],
  ])("refuses %s", (text, message) => {
    expect(() => parseLocale(text)).toThrow(new Error(message));
  });
});
