import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, it } from "vitest";
import { DRAWING, drawingRule, notByChance, toVariables } from "./draws.ts";
import { listFiles } from "./temp-folder.ts";

const SEEDS = { min: 0, max: 2 ** 31 };

it.each([
  { where: "on a person's machine", env: {}, seed: 1, times: 0.25 },
  { where: "where CI is not true", env: { CI: "" }, seed: 1, times: 0.25 },
  { where: "with a seed in CI", env: { CI: "true", DRAWING_SEED: "7" }, seed: 7, times: 1 },
  { where: "with a number of draws", env: { DRAWING_TIMES: "10" }, seed: 1, times: 10 },
])("properties draw the same cases in each run $where", ({ env, seed, times }) => {
  expect(drawingRule(env)).toEqual({ seed, times });
});

it.each([
  { where: "in CI", env: { CI: "true" }, times: 1 },
  { where: "in a soak", env: { DRAWING_SEED: "random", DRAWING_TIMES: "10" }, times: 10 },
])("properties draw other cases in each run $where", ({ env, times }) => {
  const rules = Array.from({ length: 20 }, () => drawingRule(env));
  expect(new Set(rules.map((rule) => rule.times))).toEqual(new Set([times]));
  expect(new Set(rules.map(({ seed }) => seed)).size).toBeGreaterThan(15);
  expect(rules.filter(({ seed }) => !(seed >= SEEDS.min && seed < SEEDS.max))).toEqual([]);
});

it("the variables of a run repeat its draws, in CI and elsewhere", () => {
  const rule = drawingRule({ CI: "true" });
  const variables = toVariables(rule);
  expect([drawingRule(variables), drawingRule({ ...variables, CI: "true" })]).toEqual([rule, rule]);
});

it("what occurs seldom may be absent by chance from cases that each run draws, but not from those that are always the same", () => {
  expect([2, 100].map((often) => notByChance(often, true))).toEqual([2, 100]);
  expect([2, 100].map((often) => notByChance(often, false))).toEqual([0, 60]);
});

it("fast-check draws by the rule of this process", () => {
  expect(fc.readConfigureGlobal().seed).toBe(DRAWING.seed);
});

it("no test file draws by a seed of its own", () => {
  const files = listFiles("test").filter((file) => file.endsWith(".test.ts") && !file.startsWith("crash/"));
  const drawing = files.filter((file) =>
    /randomInt\(|seed: Math\.|Math\.floor\(Math\.random/.test(withoutStrings(file)),
  );
  expect(files).toContain("support/draws.test.ts");
  expect(drawing).toEqual([]);
});

/** This test names what it looks for, as a regular expression. */
const withoutStrings = (file: string) =>
  readFileSync(`test/${file}`, "utf8").replaceAll(/\/[^/\n]+\/\.test/g, "");
