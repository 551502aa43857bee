import { globSync } from "node:fs";
import { expect, it } from "vitest";
import { ROOMS } from "./rooms.ts";

it("ROOMS has only patterns that files match", () => {
  const patterns = Object.values(ROOMS).flatMap(({ parts }) =>
    parts.flatMap(({ files, tests }) => [...files, ...tests]),
  );
  expect(patterns.filter((pattern) => globSync(pattern).length === 0)).toEqual([]);
});
