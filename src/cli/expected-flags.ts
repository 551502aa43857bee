import type { CommandUnknownOpts } from "@commander-js/extra-typings";

/** What to do instead, by flag. */
export type ExpectedFlags = Readonly<Record<string, string>>;

const EXPECTED = new WeakMap<CommandUnknownOpts, ExpectedFlags>();

/** Declares flags that people expect of a command, and that it does not have. */
export function expectFlags<C extends CommandUnknownOpts>(command: C, flags: ExpectedFlags): C {
  EXPECTED.set(command, flags);
  return command;
}

export function expectedFlagsOf(command: CommandUnknownOpts): ExpectedFlags {
  return EXPECTED.get(command) ?? {};
}
