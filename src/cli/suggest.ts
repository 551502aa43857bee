import { InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { parseCurrency } from "../currency.ts";
import { describeError } from "../errors.ts";
import { nearest } from "../nearest.ts";

/**
 * Returns a commander parser that takes one of the candidates. Call it after `choices`, which names them in the help and
 * to the shell's completion.
 *
 * @throws InvalidArgumentError that lists the candidates, and says which was probably meant
 */
export function oneOf<C extends string>(candidates: readonly C[]): (text: string) => C {
  return (text) => {
    const known = candidates.find((candidate) => candidate === text);
    if (known !== undefined) return known;
    const meant = nearest(text, candidates);
    const suggestion = meant === undefined ? "" : ` Did you mean ${meant}?`;
    throw new InvalidArgumentError(`Allowed choices are ${candidates.join(", ")}.${suggestion}`);
  };
}

/**
 * Returns a parser for an argument or option that takes several values (`[name...]`).
 *
 * @param defaults the value given to `default`, if any: commander hands it over as what was collected so far
 */
export function someOf<C extends string>(
  candidates: readonly C[],
  defaults?: readonly C[],
): (text: string, collected: readonly C[] | undefined) => readonly C[] {
  const parse = oneOf(candidates);
  return (text, collected) => [
    ...(collected === undefined || collected === defaults ? [] : collected),
    parse(text),
  ];
}

/** Returns an option that takes one of some values. */
export function choice<const F extends string, C extends string>(
  flags: F,
  choices: readonly C[],
  help: string,
) {
  return new Option(flags, help).choices(choices).argParser(oneOf(choices));
}

/** Reads the code of a currency. */
export function parseCurrencyFlag(text: string): string {
  try {
    return parseCurrency(text);
  } catch (error) {
    throw new InvalidArgumentError(`It ${describeError(error)}`);
  }
}
