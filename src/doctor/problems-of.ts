import { CalltallyError, describeError } from "../base/errors.ts";

/** Returns what a function throws, with its hint, as text; nothing if it succeeds. */
export function problemsOf(work: () => unknown): string[] {
  try {
    work();
    return [];
  } catch (error) {
    const hint = error instanceof CalltallyError ? error.hint : undefined;
    return [hint === undefined ? describeError(error) : `${describeError(error)}. ${hint}`];
  }
}
