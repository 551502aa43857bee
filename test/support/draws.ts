/**
 * How many of the cases that find the faults a property is about are drawn: a part in `npm test`, which draws the same in each
 * run, and many times as many, drawn anew, in `npm run test:soak`.
 */
const TIMES = Number(process.env.CALLTALLY_DRAWS ?? 0.4);

/** Returns how many cases a property draws where so many find the faults it is about. */
export const draws = (enough: number) => Math.ceil(enough * TIMES);

/** Returns how often something is to be seen at least, of what so many are seen of where enough cases are drawn. */
export const least = (often: number) => Math.floor(often * Math.min(TIMES, 1));
