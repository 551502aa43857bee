import { attempt } from "../../base/errors.ts";
import type { Call } from "../columns.ts";
import { remember } from "./remember.ts";

/** A line of the file of topics. All lines of a topic have the same `qualifies` and `value`. */
export interface TopicLine {
  topic: string;
  /** Literal words. */
  phrase: string;
  /** Only this channel of `transcription_details` is searched. @default all that was said */
  speaker: string | null;
  /** Whether an answered call of this topic is qualified. @default by its duration */
  qualifies: boolean | null;
  /** Value of a conversion, such as 149.50. @default that of the export */
  value: string | null;
  /** Where it begins in the file. @default the first is line 2, and none is empty */
  line?: number | undefined;
}

/** Returns where the file has a line of rules. */
export const lineOf = ({ line }: Pick<TopicLine, "line">, index: number) => line ?? index + 2;

export type Transcript = Pick<Call, "transcription" | "transcription_details">;

/** Where the first matching line is found, in folded text. */
export interface TopicMatch {
  /** Index of the line. */
  line: number;
  text: string;
  start: number;
  end: number;
}

/** Most texts are ASCII with single blanks. */
const NOT_PLAIN = /[^ -~]| {2}/;
/** Any runs of white space but single blanks; Unicode's includes the next line (U+0085). */
const OTHER_SPACE = /[\s\u0085]{2,}|[^\S ]|\u0085/g;
/** An i with a dot, from İ, is the same as an i; so is the ς at the end of a word as a σ. */
const SAME_LETTER = /i\u0307|ς/g;

/** Returns the form in which phrases are found: NFKC without case, and single blanks. By way of upper case, ß is ss and ı is i. */
export function foldSpoken(text: string): string {
  if (!NOT_PLAIN.test(text)) return text.trim().toLowerCase();
  return text
    .toWellFormed()
    .normalize("NFKC")
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replace(SAME_LETTER, (letter) => (letter === "ς" ? "σ" : "i"))
    .normalize("NFKC")
    .replace(OTHER_SPACE, " ")
    .trim();
}

export type FindTopic = (transcript: Transcript) => TopicMatch | undefined;

/** Prepares lines for many calls. The first line with a match counts. */
export function compileTopics(lines: readonly TopicLine[]): FindTopic {
  const phrases = new Map<string | null, Map<string, number>>();
  for (const [line, { phrase, speaker }] of lines.entries()) {
    const name = speaker === null ? null : foldSpoken(speaker);
    const ofSpeaker = phrases.get(name) ?? new Map<string, number>();
    phrases.set(name, ofSpeaker);
    const folded = foldSpoken(phrase);
    if (!ofSpeaker.has(folded)) ofSpeaker.set(folded, line);
  }
  const bySpeaker = [...phrases].map(([name, ofSpeaker]) => [name, new PhraseIndex(ofSpeaker)] as const);
  return ({ transcription, transcription_details }) => {
    let match: TopicMatch | undefined;
    for (const [name, index] of bySpeaker) {
      const whole = name === null ? foldSpoken(transcription ?? "") : "";
      match = index.findFirst(whole || foldSpoken(readSaid(transcription_details, name)), match);
    }
    return match;
  };
}

const SHOWN_AROUND = 20;

/** Returns a match in brackets and what was said around it. */
export function wordsAround({ text, start, end }: TopicMatch): string {
  const [from, to] = [Math.max(0, start - SHOWN_AROUND), end + SHOWN_AROUND];
  const before = text.slice(from, start).replace(from > 0 ? /^\S*\s/ : "", "");
  const after = text.slice(end, to).replace(to < text.length ? /\s\S*$/ : "", "");
  const shown = `${before}[${text.slice(start, end)}]${after}`.toWellFormed();
  return `${from > 0 ? "… " : ""}${shown}${to < text.length ? " …" : ""}`;
}

/** Returns the texts of one channel or all; anything that is not as documented is left out. */
function readSaid(details: string | null, speaker: string | null): string {
  if (details === null) return "";
  const list: unknown = attempt(() => JSON.parse(details));
  let speech = "";
  for (const line of Array.isArray(list) ? list : []) {
    const { channel, text }: Record<string, unknown> = line ?? {};
    if (speaker !== null && (toText(channel) === null || foldName(String(channel)) !== speaker)) continue;
    speech += ` ${toText(text) ?? ""}`;
  }
  return speech;
}

const foldName = remember(foldSpoken);

function toText(value: unknown): string | null {
  return typeof value === "string" || typeof value === "number" ? String(value) : null;
}

interface Phrase {
  text: string;
  line: number;
  /** The longest other phrase with which it begins. */
  shorter: Phrase | undefined;
}

/** Fixed, since the default depends on the machine; words do not depend on it. */
const WORDS = new Intl.Segmenter("en", { granularity: "word" });

/** Finds phrases by their beginnings, so that the time depends little on their number and length. */
class PhraseIndex {
  /** In order of text. */
  readonly #byBeginning = new Map<number, Phrase[]>();
  /** Which beginnings there may be, by the last digits of their hash. */
  readonly #mayBegin = new Uint8Array(HASHES);

  /** @param lines the first line of each phrase */
  constructor(lines: ReadonlyMap<string, number>) {
    const open: Phrase[] = [];
    for (const text of [...lines.keys()].sort()) {
      while (open.length > 0 && !text.startsWith(open.at(-1)?.text ?? "")) open.pop();
      const phrase = { text, line: lines.get(text) ?? 0, shorter: open.at(-1) };
      open.push(phrase);
      eachBeginning(text, (start, hash) => {
        if (start > 0) return;
        const group = this.#byBeginning.get(hash) ?? [];
        this.#byBeginning.set(hash, group);
        this.#mayBegin[hash & (HASHES - 1)] = 1;
        group.push(phrase);
      });
    }
  }

  /** Returns the match of an earlier line than the one known, if there is one. */
  findFirst(text: string, known: TopicMatch | undefined): TopicMatch | undefined {
    let match = known;
    let words: Intl.Segments | undefined;
    const isBoundary = (at: number) => {
      if (at === 0 || at === text.length) return true;
      const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
      // Most are so, and asking for words takes long.
      if (isPlain(before) ? after === BLANK : before === BLANK && isPlain(after)) return true;
      words ??= WORDS.segment(text);
      return words.containing(at)?.index === at;
    };
    eachBeginning(text, (start, hash) => {
      if (this.#mayBegin[hash & (HASHES - 1)] === 0) return;
      const nearest = lastUpTo(this.#byBeginning.get(hash) ?? [], text, start);
      const same = countSame(nearest?.text ?? "", text, start);
      for (let phrase = nearest; phrase !== undefined; phrase = phrase.shorter) {
        const { line, text: wanted } = phrase;
        if (wanted.length > same || line >= (match?.line ?? Number.POSITIVE_INFINITY)) continue;
        if (!isBoundary(start)) break;
        if (isBoundary(start + wanted.length)) match = { line, text, start, end: start + wanted.length };
      }
    });
    return match;
  }
}

const HASHES = 4096;

/** Visits each run of ASCII letters and digits, which no boundary divides, and each other character, with a hash. */
function eachBeginning(text: string, visit: (start: number, hash: number) => void): void {
  let start = -1;
  let hash = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isPlain(code)) {
      if (start === -1) {
        start = at;
        hash = 0;
      }
      hash = (hash * 31 + code) | 0;
    } else {
      if (start !== -1) visit(start, hash);
      start = -1;
      if (code !== BLANK) visit(at, code);
    }
  }
  if (start !== -1) visit(start, hash);
}

const BLANK = 0x20;

function isPlain(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
}

/** Returns the last phrase that does not sort after the text from a place on: it begins with every phrase found there. */
function lastUpTo(sorted: readonly Phrase[], text: string, start: number): Phrase | undefined {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const phrase = sorted[middle]?.text ?? "";
    if (phrase <= text.slice(start, start + phrase.length)) low = middle + 1;
    else high = middle;
  }
  return sorted[low - 1];
}

function countSame(phrase: string, text: string, start: number): number {
  let same = 0;
  while (same < phrase.length && phrase.charCodeAt(same) === text.charCodeAt(start + same)) same++;
  return same;
}
