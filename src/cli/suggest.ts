import { InvalidArgumentError } from "@commander-js/extra-typings";
import { distance } from "fastest-levenshtein";

/** Edits between a word and its suggestion at most, and the share that must be alike: commander's own for commands. */
const MOST_EDITS = 3;
const LEAST_ALIKE = 0.4;

/** Returns the candidate that was probably meant by a mistyped word, whatever its case; undefined where none is near. */
export function nearest<C extends string>(word: string, candidates: readonly C[]): C | undefined {
  const typed = word.trim().toLowerCase();
  const rated = candidates.map((candidate) => {
    const edits = distance(typed, candidate.toLowerCase());
    return { candidate, edits, alike: 1 - edits / Math.max(typed.length, candidate.length, 1) };
  });
  return rated
    .filter(({ edits, alike }) => edits <= MOST_EDITS && alike > LEAST_ALIKE)
    .sort((a, b) => a.edits - b.edits)[0]?.candidate;
}

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
 * The same for an argument or option that takes several (`[name...]`).
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
