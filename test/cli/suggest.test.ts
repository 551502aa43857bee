import { Argument, Command } from "@commander-js/extra-typings";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { oneOf, someOf } from "../../src/cli/suggest.ts";
import { nearest } from "../../src/nearest.ts";

const NAMES = ["utm_source", "utm_medium", "campaign", "gclid", "export"] as const;

describe("nearest", () => {
  it.each([
    ["utm_sauce", "utm_source"],
    ["utm_surce", "utm_source"],
    ["UTM_MEDIUM", "utm_medium"],
    ["campain", "campaign"],
    [" gclid", "gclid"],
    ["xeport", "export"],
  ])("takes %j for %s", (word, meant) => {
    expect(nearest(word, NAMES)).toBe(meant);
  });

  it.each(["", "dance", "x", "source_of_all"])("has no idea what %j should be", (word) => {
    expect(nearest(word, NAMES)).toBeUndefined();
  });

  it("finds every candidate in spite of one typing error, and returns candidates alone", () => {
    const typo = fc.record({
      name: fc.constantFrom(...NAMES),
      at: fc.nat(20),
      put: fc.string({ maxLength: 1 }),
    });
    fc.assert(
      fc.property(typo, ({ name, at, put }) => {
        const place = at % name.length;
        const meant = nearest(name.slice(0, place) + put + name.slice(place + 1), NAMES);
        expect(meant).toBe(name);
      }),
    );
    fc.assert(fc.property(fc.string(), (word) => [...NAMES, undefined].includes(nearest(word, NAMES))));
  });
});

/** What a command with these names as its argument makes of some words. */
function parse(words: string[]): readonly string[] {
  const defaults = ["gclid"] as const;
  const argument = new Argument("[name...]")
    .choices(NAMES)
    .default(defaults)
    .argParser(someOf(NAMES, defaults));
  const command = new Command()
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .addArgument(argument);
  return command.parse(words, { from: "user" }).processedArgs[0];
}

describe("someOf", () => {
  it("collects the words, in place of the default", () => {
    expect(parse([])).toEqual(["gclid"]);
    expect(parse(["campaign", "gclid", "campaign"])).toEqual(["campaign", "gclid", "campaign"]);
  });

  it("says which name was probably meant", () => {
    expect(() => parse(["gclid", "campain"])).toThrow(
      /^error: .*'campain' is invalid.*Allowed choices are utm_source, .*export\. Did you mean campaign\?$/,
    );
  });
});

describe("oneOf", () => {
  it("returns a known word, and suggests nothing that is far away", () => {
    expect(oneOf(NAMES)("gclid")).toBe("gclid");
    expect(() => oneOf(NAMES)("dance")).toThrow(
      /^Allowed choices are utm_source, utm_medium, campaign, gclid, export\.$/,
    );
  });
});
