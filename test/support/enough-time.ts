/** The timeout of a slow test: that of all tests in `npm test`. */
export const LONGEST_MS = 1_200_000;

/**
 * Repeats an attempt with twice the time until its preparation was finished in time, so that a slow machine tests the same,
 * only later. An attempt that is never ready ends with the test's own timeout.
 * @param attempt returns undefined if its time was too short
 */
export async function withEnoughTime<T>(
  firstMs: number,
  attempt: (timeMs: number) => Promise<T | undefined>,
): Promise<T> {
  for (let timeMs = firstMs; ; timeMs *= 2) {
    const result = await attempt(timeMs);
    if (result !== undefined) return result;
  }
}
