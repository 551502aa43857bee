/**
 * The number of cases that a property draws: in `npm test` a part of those that find its faults, the same in each
 * run, and many times as many, random ones, in `npm run test:soak`.
 */
const TIMES = Number(process.env.CALLTALLY_DRAWS ?? 0.25);

/** Returns how many cases a property draws if this number finds its faults. */
export const draws = (enough: number) => Math.ceil(enough * TIMES);

/** Returns how often something must occur at least, if it occurs this often among enough cases. */
export const least = (often: number) => Math.floor(often * Math.min(TIMES, 1));
