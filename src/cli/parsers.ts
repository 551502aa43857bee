import { InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { describeError } from "../base/errors.ts";
import { orMeant } from "../base/text/nearest.ts";

/**
 * Returns a commander parser that accepts one of the candidates. It replaces the parser of `choices`, which is only
 * used for help and completion.
 * @param others advice for certain other words
 * @throws InvalidArgumentError that lists the candidates, with a suggestion
 */
export function oneOf<C extends string>(
  candidates: readonly C[],
  others: Readonly<Record<string, string>> = {},
): (text: string) => C {
  return (text) => {
    const known = candidates.find((candidate) => candidate === text);
    if (known !== undefined) return known;
    const other = others[text.toLowerCase()];
    const several = text.split(/[\s,]+/).filter((part) => candidates.some((candidate) => candidate === part));
    const advice =
      other !== undefined
        ? `; ${other}`
        : several.length > 1
          ? `; give them one by one: ${several.join(" ")}`
          : orMeant(text, candidates);
    throw new InvalidArgumentError(`must be one of ${candidates.join(", ")}${advice}`);
  };
}

/** Returns a parser for an argument or option with several values. */
export function eachOf<T>(parse: (text: string) => T) {
  return (text: string, collected: readonly T[] = []): readonly T[] => [...collected, parse(text)];
}

export function severalOf<const F extends string, C extends string>(
  flags: F,
  names: readonly C[],
  help: string,
) {
  const parse = oneOf(names);
  return new Option(flags, help)
    .choices(names)
    .argParser((text: string, collected: readonly C[] = []) => [
      ...new Set([...collected, ...text.split(",").map((name) => parse(name.trim()))]),
    ]);
}

export function choice<const F extends string, C extends string>(
  flags: F,
  choices: readonly C[],
  help: string,
  others?: Readonly<Record<string, string>>,
) {
  return new Option(flags, help).choices(choices).argParser(oneOf(choices, others));
}

export function parser<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      throw new InvalidArgumentError(describeError(error));
    }
  };
}

export function wholeNumber(least = 0, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    const bounds = most < Number.MAX_SAFE_INTEGER ? ` from ${least} to ${most}` : least > 0 ? " above 0" : "";
    throw new InvalidArgumentError(`must be a whole number${bounds}`);
  };
}

/** @throws InvalidArgumentError for a blank text */
export function parseText(text: string): string {
  if (text.trim() !== "") return text;
  throw new InvalidArgumentError("must not be blank");
}

/** @throws InvalidArgumentError for no country code of telephone numbers */
export function parseCountryCode(text: string): string {
  const [, digits] = /^\+?([1-9]\d{0,2})$/.exec(text) ?? [];
  if (digits !== undefined) return digits;
  throw new InvalidArgumentError("must be a country code such as 1 or 44");
}

/**
 * Returns a parser of `field=Header,…`; a comma belongs to a header unless a field follows it.
 * @param several the fields that may be given more than once
 */
export function headerMap<Field extends string>(
  fields: readonly Field[],
  example: string,
  several: readonly Field[] = [],
) {
  const parseField = oneOf(fields);
  return (
    text: string,
    collected: Partial<Record<Field, readonly string[]>> = {},
  ): Partial<Record<Field, readonly string[]>> => {
    const map = { ...collected };
    for (const part of text.split(/,(?=\s*[a-z_]+\s*=)/i)) {
      const [, name = "", header = ""] = /^\s*(\w+)\s*=\s*(.+?)\s*$/.exec(part) ?? [];
      if (header === "") throw new InvalidArgumentError(`must look like ${example}`);
      const field = parseField(name);
      if (map[field] !== undefined && !several.includes(field))
        throw new InvalidArgumentError(`names two columns for ${field}, which has one`);
      map[field] = [...(map[field] ?? []), header];
    }
    return map;
  };
}
