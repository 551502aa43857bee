import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

/** A path or a pattern of paths in a command line. */
const PATH = /(?:^|[ '])((?:src|jobs|test|node_modules)\/[^ ']+)/g;

it("the scripts of package.json name folders and files that exist", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
  const paths = Object.values<string>(scripts).flatMap((line) =>
    [...line.matchAll(PATH)].map(([, path = ""]) => path),
  );
  expect(paths).toEqual(expect.arrayContaining(["test/crash", "src/tooling/package/build.ts"]));
  expect(paths.filter((path) => globSync(path).length === 0)).toEqual([]);
});
