import type { Warehouse } from "./warehouse.ts";

/**
 * Runs `work` in one immediate transaction: all of it is kept, or nothing; nothing in a file that was moved away.
 *
 * `work` must be synchronous. An async one would run on after the commit, so its type is refused.
 */
export function writeTransaction<T>(
  { sqlite, assertInPlace }: Warehouse,
  work: () => T extends PromiseLike<unknown> ? never : T,
): T {
  assertInPlace();
  return sqlite.transaction(work).immediate();
}
