import { expect, it } from "vitest";
import { toShortName } from "../../../src/base/text/short-name.ts";

const long = (end: string) => `${"x".repeat(10_000)}${end}`;

it("a name within the limit stays as it is, by characters and not by code units", () => {
  expect(toShortName("x".repeat(20), 20)).toBe("x".repeat(20));
  expect(toShortName("🚿".repeat(20), 20)).toBe("🚿".repeat(20));
});

it("a cut name has so many characters, and is the same each time", () => {
  const names = [long("a"), long("b"), `${"🚿".repeat(5000)}a`];
  for (const name of names) {
    expect([...toShortName(name, 40)]).toHaveLength(40);
    expect(toShortName(name, 40)).toBe(toShortName(name, 40));
    expect(toShortName(name, 40)).toMatch(/… #[0-9a-f]{8}$/);
  }
  expect(toShortName(long("a"), 40)).not.toBe(toShortName(long("b"), 40));
});

it("control characters of a name are escaped before it is cut", () => {
  expect(toShortName("\u202e".repeat(100), 40)).toMatch(/^(?:\\u202e)+.*… #[0-9a-f]{8}$/);
});
