/** Changes that are less likely than this by chance alone are worth a look. */
const WITHIN_CHANCE = 0.05;

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
 */
export function isWithinChance(count: number, before: number, times = 1): boolean {
  const rarer = Math.min(chanceOfAtMost(count, before, times), chanceOfAtLeast(count, before, times));
  return 2 * rarer >= WITHIN_CHANCE;
}

/** Adds the terms from the limit outwards, where they become smaller. */
function binomialAtMost(limit: number, trials: number, chance: number): number {
  if (limit >= trials) return 1;
  if (limit > trials * chance) return 1 - binomialAtMost(trials - limit - 1, trials, 1 - chance);
  const logChoices = logFactorial(trials) - logFactorial(limit) - logFactorial(trials - limit);
  let term = Math.exp(logChoices + limit * Math.log(chance) + (trials - limit) * Math.log1p(-chance));
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
