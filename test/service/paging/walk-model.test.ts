import { describe, expect, it } from "vitest";
import { checkInterleavings, type Size } from "./check-interleavings.ts";

/*
 * The walk against its model (`walk-model.ts`), in every interleaving of its requests with changes of a short list:
 * a call comes or goes, moves, or changes places with a tied one; or the process is killed and resumes.
 *
 * Covered are pages of one to three rows that overlap by two, one or two requests at a time, and honest services with one
 * source. Not covered are longer lists, and so what a chain forgets, gaps, and the missing-call threshold; responses that
 * are wrong, late or cut by size; rows that cannot be read; other orders on request; incremental passes. Random services
 * have those, in `walk.test.ts`. `npm run test:walk` checks a longer list; with `--changes 3`, lists of up to six calls.
 */

/** A list of at most so many calls, and how many interleavings there are, so that none gets lost unnoticed. */
type Row = Omit<Size, "calls"> & { most: number; interleavings: number };

const sizes: Row[] = [
  { service: "ordered by start", most: 6, limit: 3, changes: 1, concurrency: 1, interleavings: 414 },
  { service: "ordered by start", most: 4, limit: 3, changes: 2, concurrency: 1, interleavings: 5458 },
  { service: "ordered by start", most: 5, limit: 3, changes: 1, concurrency: 2, interleavings: 405 },
  { service: "ordered by start", most: 3, limit: 2, changes: 1, concurrency: 1, interleavings: 251 },
  { service: "ordered by start", most: 2, limit: 1, changes: 1, concurrency: 1, interleavings: 222 },
  {
    service: "with two calls at each start",
    most: 3,
    limit: 3,
    changes: 2,
    concurrency: 1,
    interleavings: 1578,
  },
  { service: "ordered by last change", most: 3, limit: 3, changes: 2, concurrency: 1, interleavings: 3777 },
  {
    service: "whose starts are corrected",
    most: 3,
    limit: 3,
    changes: 2,
    concurrency: 1,
    interleavings: 2771,
  },
];

describe("walk", () => {
  it.each(sizes)(
    "follows its model in all $interleavings interleavings of $changes changes to 0 to $most calls $service, with $concurrency requests at once for pages of $limit",
    async ({ most, interleavings, ...size }) => {
      let found = 0;
      for (let calls = 0; calls <= most; calls++) {
        const checked = await checkInterleavings({ ...size, calls });
        found += checked.interleavings;
      }
      expect(found).toBe(interleavings);
    },
  );
});
