import { distance } from "fastest-levenshtein";

/** The most edits between a word and its suggestion, and the share that must match: as commander does for commands. */
const MAX_EDITS = 3;
const MIN_SIMILARITY = 0.4;

/** Longer lists of suggestions are not read, and shorter parts of words match too much. */
const MAX_SUGGESTIONS = 3;
const MIN_PART = 3;
/** The share of a name's words that must begin like words of the other name. */
const MIN_WORDS = 0.6;

/** Returns `Did you mean …?` with similar candidates; undefined if there are none. */
export function didYouMean(word: string, candidates: readonly string[]): string | undefined {
  return askFor(similar(word, candidates));
}

export function askFor(names: readonly string[]): string | undefined {
  const first = names.slice(0, MAX_SUGGESTIONS);
  const last = first.pop();
  if (last === undefined) return undefined;
  return `Did you mean ${first.length === 0 ? last : `${first.join(", ")} or ${last}`}?`;
}

/** The same, as the end of a sentence: `; did you mean …?` or an empty text. */
export function orMeant(word: string, candidates: readonly string[]): string {
  return didYouMean(word, candidates)?.replace("Did", "; did") ?? "";
}

/** Returns the nearest candidate, or else some that contain the word or most of its parts. */
export function similar<C extends string>(word: string, candidates: readonly C[]): C[] {
  const near = nearest(word, candidates);
  if (near !== undefined) return [near];
  const typed = word.trim().toLowerCase();
  if (typed.length < MIN_PART) return [];
  const having = candidates.filter((candidate) => candidate.toLowerCase().includes(typed));
  const matches = having.length > 0 ? having : candidates.filter((candidate) => haveWords(typed, candidate));
  return [...new Set(matches)].sort((a, b) => a.length - b.length);
}

function haveWords(typed: string, candidate: string): boolean {
  const [words, others] = [toWords(typed), toWords(candidate)];
  const shared = words.filter((word) =>
    others.some((other) => word.startsWith(other) || other.startsWith(word)),
  );
  return shared.length > 1 && shared.length / Math.max(words.length, others.length) >= MIN_WORDS;
}

function toWords(name: string): string[] {
  return name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Returns the candidate nearest to a mistyped word, in any case; undefined if none is near. @param least the share that must match */
export function nearest<C extends string>(
  word: string,
  candidates: readonly C[],
  least = MIN_SIMILARITY,
): C | undefined {
  const typed = word.trim().toLowerCase();
  const rated = candidates.map((candidate) => {
    const edits = distance(typed, candidate.toLowerCase());
    return { candidate, edits, alike: 1 - edits / Math.max(typed.length, candidate.length, 1) };
  });
  return rated
    .filter(({ edits, alike }) => edits <= MAX_EDITS && alike > least)
    .sort((a, b) => a.edits - b.edits)[0]?.candidate;
}
