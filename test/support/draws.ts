import { randomInt } from "node:crypto";

const ALWAYS_SEED = 1;

export interface DrawingRule {
  /** Where properties begin to draw. */
  seed: number;
  /** How many times as many cases as find the faults of a property. */
  times: number;
}

/**
 * Returns how properties draw: a part of the cases, the same in each run, so that a failing run is about the change; in CI all of
 * them, other ones in each run. `DRAWING_SEED` (a number, or `random`) and `DRAWING_TIMES` take precedence, as in
 * `npm run test:soak`.
 */
export function drawingRule(env: Readonly<Record<string, string | undefined>>): DrawingRule {
  const isCi = env.CI === "true";
  const {
    DRAWING_SEED: seed = isCi ? "random" : String(ALWAYS_SEED),
    DRAWING_TIMES: times = isCi ? "1" : "0.25",
  } = env;
  return { seed: seed === "random" ? randomInt(2 ** 31) : Number(seed), times: Number(times) };
}

/** The variables with which a test run draws the same, whatever `CI` is. */
export const toVariables = ({ seed, times }: DrawingRule) => ({
  DRAWING_SEED: String(seed),
  DRAWING_TIMES: String(times),
});

/** How tests draw in this process. */
export const DRAWING = drawingRule(process.env);

/** Returns how many cases a property draws if this number finds its faults. */
export const draws = (enough: number) => Math.ceil(enough * DRAWING.times);

/** Whether properties draw the same cases in each run. */
export const IS_ALWAYS_SAME = DRAWING.seed === ALWAYS_SEED;

/**
 * Returns how often something must occur at least that occurs this often in the cases that are always the same. Where each run
 * draws others, four standard deviations fewer are chance.
 */
export const notByChance = (often: number, isAlwaysSame = IS_ALWAYS_SAME) =>
  isAlwaysSame ? often : Math.max(0, often - 4 * Math.sqrt(often));

/** Returns how often something must occur at least, if it occurs this often among enough cases. */
export const least = (often: number) => Math.floor(notByChance(often * Math.min(DRAWING.times, 1)));
