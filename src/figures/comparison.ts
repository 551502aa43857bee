import { divideRounded, roundAway } from "./rounding.ts";

/** Of a change, which is a share of the figure before: 0.25 for a quarter more; of shares the difference. */
export const CHANGE_DECIMALS = 4;

/** Returns how much a figure changed, of values as they are shown; null if a value is missing, or nothing was before. */
export function changeOf(
  { decimals = 0, isShare }: { decimals?: number; isShare?: true },
  now: number | null,
  before: number | null,
): number | null {
  if (now === null || before === null) return null;
  const unit = 10 ** decimals;
  const toWhole = (figure: number) => (decimals === 0 ? figure : roundAway(unit * figure));
  const difference = toWhole(now) - toWhole(before);
  if (isShare) return difference / unit;
  return divideRounded(difference, Math.abs(toWhole(before)), CHANGE_DECIMALS);
}
