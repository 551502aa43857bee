import { describe, expect, it } from "vitest";
import { checkInterleavings, type ServiceName } from "./check-interleavings.ts";

/*
 * The walk against its model (`walk-model.ts`), in every interleaving of its requests with changes of a short list:
 * a call comes or goes, moves, or changes places with a tied one; or the process is killed and resumes.
 *
 * Covered are pages of one to three rows that overlap by two, one or two requests at a time, and honest services with one
 * source. Not covered are longer lists, and so what a chain forgets, gaps, and the missing-call threshold; responses that
 * are wrong, late or cut by size; rows that cannot be read; other orders on request; incremental passes. Random services
 * have those, in `walk.test.ts`. `npm run test:walk -- --exhaustive` checks larger sizes.
 */

const sizes: { service: ServiceName; most: number; limit: number; changes: number; concurrency: number }[] = [
  { service: "ordered by start", most: 6, limit: 3, changes: 1, concurrency: 1 },
  { service: "ordered by start", most: 4, limit: 3, changes: 2, concurrency: 1 },
  { service: "ordered by start", most: 5, limit: 3, changes: 1, concurrency: 2 },
  { service: "ordered by start", most: 3, limit: 2, changes: 1, concurrency: 1 },
  { service: "ordered by start", most: 2, limit: 1, changes: 1, concurrency: 1 },
  { service: "with two calls at each start", most: 4, limit: 3, changes: 2, concurrency: 1 },
  { service: "ordered by last change", most: 4, limit: 3, changes: 2, concurrency: 1 },
  { service: "whose starts are corrected", most: 3, limit: 3, changes: 2, concurrency: 1 },
];

describe("walk", () => {
  it.each(sizes)(
    "does as its model and keeps its promise: at most $most calls $service by pages of $limit, $changes changes, $concurrency at once",
    async ({ most, ...size }) => {
      const counts = Array.from({ length: most + 1 }, (_, calls) => calls);
      const checked = [];
      for (const calls of counts) checked.push(await checkInterleavings({ ...size, calls }));
      const interleavings = checked.reduce((sum, each) => sum + each.interleavings, 0);
      expect(interleavings).toBe(0);
    },
  );
});
