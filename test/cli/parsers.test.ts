import { Argument, Command } from "@commander-js/extra-typings";
import { describe, expect, it } from "vitest";
import { eachOf, oneOf } from "../../src/cli/parsers.ts";

const NAMES = ["utm_source", "utm_medium", "campaign", "gclid", "export"] as const;

/** The result of parsing words by a command with these names as its argument. */
function parse(words: string[]): readonly string[] {
  const argument = new Argument("[name...]").choices(NAMES).argParser(eachOf(oneOf(NAMES)));
  const command = new Command()
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .addArgument(argument);
  return command.parse(words, { from: "user" }).processedArgs[0];
}

describe("eachOf", () => {
  it("collects names", () => {
    expect(parse([])).toEqual([]);
    expect(parse(["campaign", "gclid", "campaign"])).toEqual(["campaign", "gclid", "campaign"]);
  });

  it("suggests the name that was probably meant", () => {
    expect(() => parse(["gclid", "campain"])).toThrow(
      /^error: .*'campain' is invalid.* must be one of utm_source, .*export; did you mean campaign\?$/,
    );
  });
});

describe("oneOf", () => {
  it("returns a known name, and suggests no distant one", () => {
    expect(oneOf(NAMES)("gclid")).toBe("gclid");
    expect(() => oneOf(NAMES)("dance")).toThrow(
      /^must be one of utm_source, utm_medium, campaign, gclid, export$/,
    );
    const parse = oneOf(NAMES, { dance: "`calltally schedule` dances." });
    expect(() => parse("Dance")).toThrow(/gclid, export; `calltally schedule` dances\.$/);
  });
});
