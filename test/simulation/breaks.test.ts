import { expect, it } from "vitest";
import { BREAKS, countPlaces } from "./breaks.ts";

it("each fault that the simulation plants has exactly one place in the program, and changes it", () => {
  expect(BREAKS.length).toBeGreaterThan(0);
  for (const each of BREAKS) {
    expect(`${each.name}: ${countPlaces(each)}`).toBe(`${each.name}: 1`);
    expect(each.to).not.toBe(each.from);
  }
  expect(new Set(BREAKS.map(({ name }) => name)).size).toBe(BREAKS.length);
});
