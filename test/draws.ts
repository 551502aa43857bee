/** `CALLTALLY_DRAWS` in `npm run test:soak`. */
const TIMES = Number(process.env.CALLTALLY_DRAWS ?? 1);

/** Returns how many cases a property draws where so many find the faults it is about: the multiple in a soak. */
export const draws = (enough: number) => enough * TIMES;
