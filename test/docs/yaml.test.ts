import { describe, expect, it } from "vitest";
import { findProblems } from "../../src/config/file-problems.ts";
import { readYaml } from "../../src/config/yaml-source.ts";
import { readBlocks, readPages } from "./pages.ts";

const EXAMPLES = readPages().flatMap(({ path, text }) =>
  readBlocks(text)
    .filter(({ language }) => language === "yaml")
    .map(({ content }) => ({ path, content, begin: content.split("\n", 1)[0] })),
);

describe("examples of calltally.yaml", () => {
  it.each(EXAMPLES)("in $path are valid: $begin", ({ content }) => {
    expect(findProblems(readYaml(content), ".")).toEqual([]);
  });

  it("the pages have several examples of calltally.yaml", () => {
    expect(EXAMPLES.length).toBeGreaterThan(5);
  });
});
