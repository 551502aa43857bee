/** Time for a test that takes long by itself: what `npm test` gives all. */
export const LONGEST_MS = 1_200_000;

/**
 * Repeats an attempt with twice the time until what had to be ready in that time was, so that a slow machine tests the same,
 * only later. What never gets ready ends with the test's own limit.
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
