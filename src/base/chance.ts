/** Changes that are less likely than this by chance alone are worth a look. */
export const WITHIN_CHANCE = 0.05;

/**
 * Returns the probability of at most `count` calls, if calls come at random at the rate of `others` calls in `times` as
 * much time. This is the exact test of two Poisson counts: of all calls, each is among `count` with 1 / (1 + times).
 */
export function chanceOfAtMost(count: number, others: number, times: number): number {
  return binomialAtMost(count, count + others, 1 / (1 + times));
}

/** Returns the probability of at least `count` calls; see {@link chanceOfAtMost}. */
export function chanceOfAtLeast(count: number, others: number, times: number): number {
  return binomialAtMost(others, count + others, times / (1 + times));
}

/**
 * Whether a change like that from `before` to `count` calls, or a larger one, has a chance of one in twenty or more
 * although nothing changed.
 * @param times how many times as long the time before is
 * @param level the chance to compare with, lower for many comparisons. @default one in twenty
 */
export function isWithinChance(count: number, before: number, times = 1, level = WITHIN_CHANCE): boolean {
  const rarer = Math.min(chanceOfAtMost(count, before, times), chanceOfAtLeast(count, before, times));
  return 2 * rarer >= level;
}

export interface Share {
  part: number;
  whole: number;
}

/** Like {@link isWithinChance}, for two shares, such as answer rates: Fisher's exact test. */
export function isShareWithinChance(now: Share, before: Share, level = WITHIN_CHANCE): boolean {
  const rarer = Math.min(chanceOfAtMostPart(now, before), chanceOfAtMostPart(restOf(now), restOf(before)));
  return 2 * rarer >= level;
}

const restOf = ({ part, whole }: Share): Share => ({ part: whole - part, whole });

/** Returns the probability of at most so many parts now, if both are drawn from one lot. Terms shrink away from the limit. */
function chanceOfAtMostPart({ part, whole }: Share, before: Share): number {
  const parts = part + before.part;
  const lot = whole + before.whole;
  const least = Math.max(0, parts - before.whole);
  if (part * lot > whole * parts) {
    // Above the mean: the other tail is the short one.
    const above = { part: before.part - 1, whole: before.whole };
    return above.part < 0 ? 1 : 1 - chanceOfAtMostPart(above, { part: part + 1, whole });
  }
  let term = Math.exp(
    logChoices(parts, part) + logChoices(lot - parts, whole - part) - logChoices(lot, whole),
  );
  let sum = 0;
  for (let count = part; count >= least && term > sum * Number.EPSILON; count--) {
    sum += term;
    term *= (count * (before.whole - parts + count)) / ((parts - count + 1) * (whole - count + 1));
  }
  return sum;
}

function logChoices(of: number, chosen: number): number {
  return logFactorial(of) - logFactorial(chosen) - logFactorial(of - chosen);
}

/** Adds the terms from the limit outwards, where they become smaller. */
function binomialAtMost(limit: number, trials: number, chance: number): number {
  if (limit >= trials) return 1;
  if (limit > trials * chance) return 1 - binomialAtMost(trials - limit - 1, trials, 1 - chance);
  let term = Math.exp(
    logChoices(trials, limit) + limit * Math.log(chance) + (trials - limit) * Math.log1p(-chance),
  );
  let sum = 0;
  for (let successes = limit; successes >= 0 && term > sum * Number.EPSILON; successes--) {
    sum += term;
    term *= (successes * (1 - chance)) / ((trials - successes + 1) * chance);
  }
  return sum;
}

/** From here on Stirling's series has all digits of a double. */
const LARGE = 32;

function logFactorial(n: number): number {
  if (n < LARGE) {
    let product = 1;
    for (let factor = 2; factor <= n; factor++) product *= factor;
    return Math.log(product);
  }
  const series = 1 / (12 * n) - 1 / (360 * n ** 3) + 1 / (1260 * n ** 5);
  return n * Math.log(n) - n + Math.log(2 * Math.PI * n) / 2 + series;
}
