import type * as z from "zod";
import { option } from "./issues.ts";
import type { ContentKind } from "./option-values.ts";

/**
 * An option of a request: `calltally.yaml`, flags, the library, assistants, refusals and the reference pages follow it.
 */
export interface OptionRow {
  /** What it accepts in `calltally.yaml`; flags are parsed into it. */
  value: z.ZodType;
  help: string;
  /** The first one is also in the help of the flag. */
  examples?: readonly unknown[];
  /** What it is if it is left out; only where that depends on nothing. */
  default?: string;
  /** The contents that take it. @default it is about calls or days, so any */
  takenBy?: readonly ContentKind[];
  neededBy?: readonly ContentKind[];
  /** Whether it applies to every file, so that all contents have to take it. */
  isOfEveryFile?: true;
  /** Whether it reaches the writers as it is. */
  isPassed?: true;
  /** Whether programs and assistants have it, in a question or only for files. @default neither */
  library?: "question" | "files";
  /** @default after the last part of its name */
  flag?: string;
  /** What the help calls the flag's value. @default like the flag */
  valueName?: string;
  /** The command or the part of `calltally export --help` that it is in. @default export, figures */
  shownIn?: "files" | "report";
}

export type OptionRows = Readonly<Record<string, OptionRow>>;

/** Returns the keys of a schema with these options, each of which may be left out. */
export function keysOf<const Rows extends OptionRows>(
  rows: Rows,
): { -readonly [Name in keyof Rows]: z.ZodOptional<Rows[Name]["value"]> };
export function keysOf(rows: OptionRows): object {
  const keys = Object.entries(rows).map(([name, { value, help, examples = [] }]) => [
    name,
    option(value, help, ...examples),
  ]);
  return Object.fromEntries(keys);
}
