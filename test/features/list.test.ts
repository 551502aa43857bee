import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FEATURES } from "../../src/features/list.ts";

const named = (member: keyof (typeof FEATURES)[number]) =>
  FEATURES.filter((feature) => feature[member] !== undefined).map(({ name }) => name);
/** Without those that the list lacks. */
const kept = (...names: string[]) => names.filter((each) => FEATURES.some(({ name }) => name === each));

describe("features", () => {
  it("take part in a fixed order", () => {
    expect(named("startExport")).toEqual(kept("conversions", "restatements", "explore", "hygiene"));
    expect(named("endSync")).toEqual(kept("restatements", "notices"));
    expect(named("followSync")).toEqual(kept("cluster"));
    expect(named("loadFindings")).toEqual(kept("restatements", "notices"));
  });

  it("features are loaded when needed: the list itself imports only types", () => {
    const list = readFileSync(join(import.meta.dirname, "../../src/features/list.ts"), "utf8");
    expect(list.match(/^import (?!type )/gm)).toBeNull();
  });
});
