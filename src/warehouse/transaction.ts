import type { Warehouse } from "./open.ts";

/**
 * Runs `work` in one immediate transaction: all of it is kept, or nothing.
 *
 * `work` must be synchronous. An async one would run on after the commit, so its type is refused.
 */
export function writeTransaction<T>(
  { sqlite }: Warehouse,
  work: () => T extends PromiseLike<unknown> ? never : T,
): T {
  return sqlite.transaction(work).immediate();
}
