/** From here on, each double is an integer. */
const ALL_INTEGERS = 2 ** 52;

/** Rounds half away from zero; never to -0. */
export function roundAway(value: number): number {
  if (Math.abs(value) >= ALL_INTEGERS) return value;
  return Math.trunc(value + Math.sign(value) / 2) + 0;
}

/**
 * Divides integers or halves, and rounds half away from zero; null for no value and a divisor of 0. Only an integer is
 * rounded: 3 / 20 is 0.2 with one decimal, although 3 / 20 is a little less than 0.15 in binary.
 */
export function divideRounded(
  dividend: number | null,
  divisor: number | null,
  decimals: number,
): number | null {
  if (dividend === null || divisor === null || divisor === 0) return null;
  const unit = 10 ** decimals;
  return roundAway((unit * dividend) / divisor) / unit;
}
