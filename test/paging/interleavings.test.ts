import { describe, expect, it } from "vitest";
import { checkInterleavings, type Size, type Tally } from "./check-interleavings.ts";

/*
 * Every interleaving of the requests of a pass with changes of a short list: a call comes or goes, moves, or changes places
 * with a tied one; or the process is killed and resumes.
 *
 * Covered are pages of one to three rows that overlap by two, one or two requests at a time, and honest services with one
 * source. Not covered are longer lists, and so what a chain forgets, gaps, and the missing-call threshold; responses that
 * are wrong, late or cut by size; rows that cannot be read; other orders on request; incremental passes. Random services
 * have those, in `walk.test.ts`. `npm run test:walk` checks a longer list; with `--changes 3`, lists of up to six calls.
 */

/** A list of at most so many calls; and what is found, so that no interleaving and no verdict gets lost unnoticed. */
type Row = Omit<Size, "calls"> & { most: number; found: Tally };

const sizes: Row[] = [
  {
    ...{ service: "ordered by start", most: 6, limit: 3, changes: 1, concurrency: 1 },
    found: { exact: 38, verified: 132, probable: 120, unverified: 0, requests: 2338 },
  },
  {
    ...{ service: "ordered by start", most: 4, limit: 3, changes: 2, concurrency: 1 },
    found: { exact: 337, verified: 453, probable: 3107, unverified: 44, requests: 36427 },
  },
  {
    ...{ service: "ordered by start", most: 5, limit: 3, changes: 1, concurrency: 2 },
    found: { exact: 36, verified: 117, probable: 128, unverified: 0, requests: 2174 },
  },
  {
    ...{ service: "ordered by start", most: 3, limit: 2, changes: 1, concurrency: 1 },
    found: { exact: 14, verified: 0, probable: 190, unverified: 3, requests: 3787 },
  },
  {
    ...{ service: "ordered by start", most: 2, limit: 1, changes: 1, concurrency: 1 },
    found: { exact: 8, verified: 0, probable: 68, unverified: 122, requests: 5333 },
  },
  {
    ...{ service: "with two calls at each start", most: 3, limit: 3, changes: 2, concurrency: 1 },
    found: { exact: 199, verified: 0, probable: 637, unverified: 5, requests: 7378 },
  },
  {
    ...{ service: "ordered by last change", most: 3, limit: 3, changes: 2, concurrency: 1 },
    found: { exact: 239, verified: 24, probable: 2351, unverified: 17, requests: 25029 },
  },
  {
    ...{ service: "whose starts are corrected", most: 3, limit: 3, changes: 2, concurrency: 1 },
    found: { exact: 233, verified: 0, probable: 1741, unverified: 5, requests: 18171 },
  },
];

describe("walk", () => {
  it.each(sizes)(
    "keeps its promises in every interleaving of $changes changes to 0 to $most calls $service, with $concurrency requests at once for pages of $limit",
    async ({ most, found, ...size }) => {
      const tally: Tally = { exact: 0, verified: 0, probable: 0, unverified: 0, requests: 0 };
      for (let calls = 0; calls <= most; calls++) await checkInterleavings({ ...size, calls }, tally);
      expect(tally).toEqual(found);
    },
  );
});
