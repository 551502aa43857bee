import { distance } from "fastest-levenshtein";

/** A tag's value, and its calls. */
export interface Tag {
  value: string;
  calls: number;
}

export interface NearMiss {
  rare: Tag;
  common: Tag;
}

const SEPARATOR = "[\\s\\p{Pd}\\p{Pc}\\p{Ps}\\p{Pe}|.,:;/\\\\'\"\\p{Cf}]+";
const BETWEEN_DIGITS = new RegExp(`(?<=\\p{N})${SEPARATOR}(?=\\p{N})`, "gu");
/** No separator. */
const BETWEEN = "~";
const SEPARATORS = new RegExp(SEPARATOR, "gu");
const LETTERS = /^\p{L}+$/u;

/** One edit makes another word of shorter ones: `us` and `uk`, `2024` and `2025`, `test a` and `test b`. */
const MIN_WORD = 6;
/** A misspelling is rare; two names in use for as many calls are probably two things. */
const MIN_RATIO = 5;
/** Longer values are not names, and are compared only without case and separators. */
const MAX_LENGTH = 200;

/**
 * Finds values that differ only in case and separators, or by one letter, or two swapped ones, in a long word if one is much rarer. Each rare
 * value is found once, with the common value of most calls. Most calls come first.
 */
export function findNearMisses(tags: readonly Tag[]): NearMiss[] {
  const byCalls = tags.toSorted((a, b) => b.calls - a.calls || (a.value < b.value ? -1 : 1));
  const bySkeleton = new Map<string, Tag>();
  const byPattern = new Map<string, Tag[]>();
  const misses: NearMiss[] = [];
  /** A misspelling of a misspelling is one of the right value. */
  const commonOf = new Map<Tag, Tag>();
  for (const tag of byCalls) {
    const skeleton = toSkeleton(tag.value);
    const same = bySkeleton.get(skeleton);
    if (skeleton !== "" && same === undefined) bySkeleton.set(skeleton, tag);
    const common = skeleton === "" ? undefined : (same ?? findMisspelled(tag, byPattern));
    if (common === undefined) continue;
    const best = commonOf.get(common) ?? common;
    commonOf.set(tag, best);
    misses.push({ rare: tag, common: best });
  }
  return misses.toSorted((a, b) => b.rare.calls - a.rare.calls);
}

/** Without case and separators; what divides numbers is kept, because 1.5 is not 15. */
function toSkeleton(value: string): string {
  return value.normalize("NFKC").toLowerCase().replace(BETWEEN_DIGITS, BETWEEN).replace(SEPARATORS, "");
}

/** Returns the value of most calls that one letter makes of this one; and remembers this one. */
function findMisspelled(tag: Tag, byPattern: Map<string, Tag[]>): Tag | undefined {
  if (tag.value.length > MAX_LENGTH) return undefined;
  const words = toWords(tag.value);
  let match: Tag | undefined;
  for (const pattern of patternsOf(words)) {
    const others = byPattern.get(pattern) ?? [];
    match ??= others.find(
      (other) => other.calls >= tag.calls * MIN_RATIO && isOneLetterOff(words, toWords(other.value)),
    );
    // Values of the same pattern are few letters apart: a few of most calls are enough.
    if (others.length < 8) byPattern.set(pattern, [...others, tag]);
  }
  return match;
}

const toWords = (value: string) =>
  value
    .normalize("NFKC")
    .toLowerCase()
    .split(SEPARATORS)
    .filter((word) => word !== "");

/** All ways to leave out one letter of a long word, and the words themselves: equal for values one edit apart. */
function* patternsOf(words: readonly string[]): Generator<string> {
  yield words.join(" ");
  for (const [index, word] of words.entries()) {
    if (word.length < MIN_WORD - 1 || !LETTERS.test(word)) continue;
    for (let at = 0; at < word.length; at++)
      yield words.with(index, word.slice(0, at) + word.slice(at + 1)).join(" ");
  }
}

function isOneLetterOff(words: readonly string[], others: readonly string[]): boolean {
  const differing = words.flatMap((word, index) => {
    const other = others[index] ?? "";
    return word === other ? [] : [{ word, other }];
  });
  const [only] = differing;
  if (words.length !== others.length || differing.length !== 1 || only === undefined) return false;
  const { word, other } = only;
  return (
    Math.max(word.length, other.length) >= MIN_WORD &&
    LETTERS.test(word) &&
    LETTERS.test(other) &&
    (distance(word, other) === 1 || isSwapped(word, other))
  );
}

/** Whether two neighboring letters are swapped: `Repiar` for `Repair`. */
function isSwapped(word: string, other: string): boolean {
  const at = [...word].findIndex((letter, index) => letter !== other[index]);
  const [first = "", second = ""] = word.slice(at);
  return word.slice(0, at) + second + first + word.slice(at + 2) === other;
}
