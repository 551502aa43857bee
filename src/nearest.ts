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
