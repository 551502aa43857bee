import type { Context } from "./context.ts";

/** A context for commands that are only read or tested: nothing is printed. */
export function silentContext(overrides: Partial<Context> = {}): Context {
  return {
    env: {},
    folder: ".",
    signal: new AbortController().signal,
    print: () => {},
    write: () => Promise.resolve(),
    complain: () => {},
    exit: () => {},
    options: {},
    ...overrides,
  };
}
