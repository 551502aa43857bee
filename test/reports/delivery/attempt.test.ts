import { expect, it } from "vitest";
import { quote, withoutSecrets } from "../../../src/reports/delivery/attempt.ts";

it.each([
  ["  no\r\n\t room  ", [], "no room"],
  ["\u001b[31mred", [], "\\u001b[31mred"],
  ["at /T0/abc and abc", ["abc"], "at /T0/abc and abc"],
  ["at /T0/abcd and abcd", ["abcd"], "at /T0/[secret] and [secret]"],
  ["a b", ["a  b"], "a b"],
  ["x".repeat(600), [], "x".repeat(500)],
  [`${"x".repeat(497)} abcdef`, ["abcdef"], `${"x".repeat(497)} [s`],
])("quote: %j without %j is %j", (text, secrets, line) => {
  expect(quote(text, secrets)).toBe(line);
});

it.each([
  ["pass", "password-17"],
  ["password-17", "pass"],
])("withoutSecrets removes the longest first: %s, %s", (...secrets) => {
  expect(withoutSecrets("password-17, pass", secrets)).toBe("[secret], [secret]");
});
