import { describe, expect, it } from "vitest";
import { isPseudonym, toPseudonym } from "../../../src/calls/privacy/pseudonym.ts";

describe("toPseudonym", () => {
  it("writes the first eight bytes, and is recognized by isPseudonym", () => {
    const bytes = Buffer.from("00fe12345678abcdef99", "hex");
    expect(toPseudonym(bytes)).toBe("forgotten00fe12345678abcd");
    expect(isPseudonym(toPseudonym(bytes))).toBe(true);
  });
});

describe("isPseudonym", () => {
  it.each([
    null,
    "",
    "+forgotten00fe12345678abcd",
    "forgotten00fe12345678abcd1",
    "forgotten00fe12345678abc",
    "forgotten00FE12345678ABCD",
    "forgotten00fe12345678abcg",
  ])("returns false for %j", (caller) => {
    expect(isPseudonym(caller)).toBe(false);
  });
});
