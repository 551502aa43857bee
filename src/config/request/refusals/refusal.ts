import { ALL_OPTIONS } from "../options.ts";

/**
 * Why something cannot be asked. In its texts, `{min_cell}` is the option as the user spells it, and `{found}` what
 * `when` returned. The conditions of a row all have to hold.
 */
export interface Refusal<Parts, Name extends string> {
  /** Options that are given. */
  options?: readonly Name[];
  /** Options that are not. */
  without?: readonly Name[];
  /** Returns what the text is about, or whether the refusal holds. @default it holds */
  when?: (parts: Parts) => string | boolean | undefined;
  text: string;
  hint?: string;
}

export type Spell = (option: string) => string;

/** Returns the refusals that hold, with their texts filled in, in the order of the table. */
export function* findRefusals<Parts>(
  table: readonly Refusal<Parts, string>[],
  parts: Parts,
  { options, spell }: { options: object; spell: Spell },
): Generator<{ text: string; hint?: string | undefined }> {
  for (const { options: names = [], without = [], when = () => true, text, hint } of table) {
    if (!names.every((option) => isGiven(options, option))) continue;
    if (without.some((option) => isGiven(options, option))) continue;
    const subject = when(parts);
    if (subject === undefined || subject === false || subject === "") continue;
    const fill = (_: string, name: string) => (name === "found" ? String(subject) : spell(name));
    yield { text: text.replace(/\{([a-z_.]+)\}/g, fill), hint };
  }
}

/** Whether an option was given and asks for something: the default format is written anyway. */
export function isGiven(options: object, option: string): boolean {
  const [key = "", part] = option.split(".");
  const value: unknown = Reflect.get(options, key);
  const member: unknown = part === undefined ? value : Reflect.get(Object(value), part);
  const row = ALL_OPTIONS.get(option);
  const asksNothing =
    member === undefined || member === false || (Array.isArray(member) && member.length === 0);
  return !asksNothing && !(row?.isOfEveryFile && member === row.default);
}
