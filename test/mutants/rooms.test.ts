import { globSync } from "node:fs";
import { expect, it } from "vitest";
import { ROOMS } from "./rooms.ts";

/** Such as `src/a.ts` and `src/b.ts` for `src/{a,b}.ts`. */
function alternativesOf(pattern: string): string[] {
  const [braces = "", names] = /\{([^{}]*)\}/.exec(pattern) ?? [];
  if (names === undefined) return [pattern];
  return names.split(",").flatMap((name) => alternativesOf(pattern.replace(braces, name)));
}

it("ROOMS has only patterns that files match, in each alternative", () => {
  const patterns = Object.values(ROOMS).flatMap(({ parts }) =>
    parts.flatMap(({ files, tests }) => [...files, ...tests].flatMap(alternativesOf)),
  );
  expect(patterns.length).toBeGreaterThan(50);
  expect(patterns.filter((pattern) => globSync(pattern).length === 0)).toEqual([]);
});
