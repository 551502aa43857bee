import { describe, expect, it } from "vitest";
import { isMailAddress } from "../../src/config/setting-parsers.ts";

describe("isMailAddress", () => {
  it.each([
    "ann@example.com",
    "a.b+c@sub.example.co.uk",
    "ann@bücher.example",
    "ünï@example.com",
    "root@localhost",
  ])("accepts %s", (text) => {
    expect(isMailAddress(text)).toBe(true);
  });

  it.each([
    "",
    "ann",
    "@example.com",
    "ann@",
    "ann@example.com, bob@example.com",
    "Ann <ann@example.com>",
    "a@b\r\nc",
    "a b@c.d",
    "a@b@c",
    `${"a".repeat(65)}@b.c`,
  ])("refuses %j", (text) => {
    expect(isMailAddress(text)).toBe(false);
  });
});
