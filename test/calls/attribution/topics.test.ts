import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileTopics, type TopicLine, type Transcript } from "../../../src/calls/attribution/topics.ts";

const line = (phrase: string, speaker: string | null = null): TopicLine => ({
  topic: phrase,
  phrase,
  speaker,
  qualifies: null,
  value: null,
});
const said = (...lines: unknown[]): Transcript => ({
  transcription: null,
  transcription_details: JSON.stringify(lines),
});
const inWhole = (transcription: string): Transcript => ({ transcription, transcription_details: null });
const find = (lines: readonly TopicLine[], transcript: Transcript) => compileTopics(lines)(transcript)?.line;
const matches = (phrase: string, text: string) => find([line(phrase)], inWhole(text)) === 0;

describe("compileTopics", () => {
  it.each([
    ["burst pipe", "A BURST\n  Pipe!", true],
    ["burst pipe", "two burst pipes", false],
    ["pipe", "the pipe's gone", false],
    ["pipe", "waterpipe", false],
    ["9 a.m.", "at 9 a.m. sharp", true],
    ["c++", "we do C++.", true],
    ["Straße", "in der STRASSE", true],
    ["strasse", "in der Straße", true],
    ["Rohr", "ein Rohrbruch", false],
    ["übermorgen", "U\u0308bermorgen", true],
    ["Ubermorgen", "Übermorgen", false],
    ["ısı", "ISI pompası", true],
    ["istanbul", "İSTANBUL'da mı? İstanbul", true],
    ["ILIK", "ılık su", true],
    ["ｐｉｐｅ", "a pipe", true],
    ["pipe", "a ＰＩＰＥ", true],
    ["οδος", "ΟΔΟΣ", true],
    ["ท่อแตก", "ท่อแตกครับ", true],
    ["แตก", "ท่อแตกครับ", true],
    ["ตก", "ท่อแตกครับ", false],
    ["🔥", "there is🔥now", true],
    ["👩", "👩‍👩‍👧", false],
    ["👍", "👍🏽", false],
    ["no  heat", "no\u00a0heat", true],
    ["", "anything", false],
  ])("finds %j in %j: %j", (phrase, text, expected) => {
    expect(matches(phrase, text)).toBe(expected);
  });

  it("returns the first line that matches", () => {
    const lines = [line("job"), line("burst pipe"), line("pipe"), line("burst")];
    expect(find(lines, inWhole("my pipe burst"))).toBe(2);
    expect(find(lines, inWhole("a burst pipe"))).toBe(1);
    expect(find(lines, inWhole("a burst pipe at my job"))).toBe(0);
    expect(find(lines, inWhole("nothing"))).toBeUndefined();
  });

  it("searches the whole text if there is one, or else all channels or the speaker's channel", () => {
    const lines = [line("pipe", "Caller"), line("hello"), line("pipe")];
    const details = said(
      { channel: "agent", time: "00:00", text: "Is it a pipe? Hel" },
      { channel: "caller", time: "00:04", text: "lo, yes" },
      { channel: "caller", time: "00:08", text: "hello" },
    );
    expect(find(lines, details)).toBe(1);
    expect(find(lines.toReversed(), details)).toBe(0);
    expect(find(lines, { ...details, transcription: "nothing" })).toBeUndefined();
    expect(find([line("pipe", "AGENT")], { ...details, transcription: "nothing" })).toBe(0);
    expect(find([line("pipe", "caller")], inWhole("pipe"))).toBeUndefined();
    expect(
      find(
        [line("yes hello", "caller")],
        said({ channel: "caller", text: "yes" }, { channel: "caller", text: "hello" }),
      ),
    ).toBe(0);
  });

  it.each([
    ["{", undefined],
    ["null", undefined],
    ['{"text":"pipe"}', undefined],
    ['["pipe"]', undefined],
    ['[null,7,[],{},{"text":null},{"text":{"type":"string"}}]', undefined],
    ['[{"text":"pipe"}]', 1],
    ['[{"channel":null,"text":"pipe"}]', 1],
    ['[{"channel":1,"text":"pipe"}]', 0],
    ['[{"channel":{"type":"object"},"text":"a pipe"}]', 1],
  ])("reads details %s", (transcription_details, expected) => {
    expect(find([line("pipe", "1"), line("pipe")], { transcription: "  ", transcription_details })).toBe(
      expected,
    );
  });

  it("finds nothing without a transcript or lines", () => {
    expect(find([line("pipe")], { transcription: null, transcription_details: null })).toBeUndefined();
    expect(find([], inWhole("pipe"))).toBeUndefined();
  });

  it("returns the position of the match", () => {
    const match = compileTopics([line("Burst  Pipe")])(inWhole("My  BURST pipe!"));
    expect(match).toEqual({ line: 0, text: "my burst pipe!", start: 3, end: 13 });
  });

  it("finds the same as a search for each phrase at each position", () => {
    let found = 0;
    fc.assert(
      fc.property(arbitraryLines, arbitraryTranscript, (lines, transcript) => {
        const expected = findSlowly(lines, transcript);
        if (expected !== undefined) found++;
        expect(find(lines, transcript)).toBe(expected);
      }),
      { numRuns: 2000 },
    );
    expect(found).toBeGreaterThan(300);
    expect(found).toBeLessThan(1900);
  });

  it.each([
    ["a phrase of 10,000 characters", [`${"a ".repeat(4999)}b`], "a ".repeat(50_000), undefined, 5],
    [
      "10,000 phrases that begin alike",
      Array.from({ length: 10_000 }, (_, index) => `roof repair in ${index}`),
      "roof repair in 99999 or ".repeat(4000),
      undefined,
      5,
    ],
    [
      "10,000 different words",
      Array.from({ length: 10_000 }, (_, index) => index.toString(36)),
      Array.from({ length: 20_000 }, (_, index) => `${index.toString(36)}s`).join(" "),
      64,
      5,
    ],
    [
      "200 phrases that contain each other",
      Array.from({ length: 200 }, (_, index) => `${"a ".repeat(200 - index)}a`),
      `${"a ".repeat(199)}b `.repeat(50),
      2,
      100,
    ],
    ["Thai without blanks", ["ตก"], "ท่อน้ำในครัวแตกครับ".repeat(500), undefined, 5],
  ])("reads a text few times, not once for each phrase or character: %s", (_, phrases, text, found, most) => {
    const lines = phrases.map((phrase) => line(phrase));
    const reads = countReads(() => expect(find(lines, inWhole(text))).toBe(found));
    expect(reads / (phrases.join("").length + text.length)).toBeLessThan(most);
  });
});

/** Counts how often single characters, parts and words of texts are read. */
function countReads(work: () => void): number {
  const words = Object.getPrototypeOf(new Intl.Segmenter().segment(""));
  let reads = 0;
  using restored = new DisposableStack();
  for (const [prototype, name] of [
    [String.prototype, "charCodeAt"],
    [String.prototype, "slice"],
    [String.prototype, "startsWith"],
    [words, "containing"],
  ]) {
    const read = prototype[name];
    prototype[name] = function (...args: unknown[]) {
      reads++;
      return read.apply(this, args);
    };
    restored.defer(() => {
      prototype[name] = read;
    });
  }
  work();
  return reads;
}

/** Words in several spellings, with parts of words and separators. */
const WORDS = [
  "pipe",
  "Pipe",
  "ＰＩＰＥ",
  "pipes",
  "burst",
  "é",
  "e\u0301",
  "ß",
  "SS",
  "ss",
  "İ",
  "ı",
  "I",
  "i",
  "ท่อ",
  "แตก",
  "ครับ",
  "🔥",
  "👩‍👧",
  "👩",
  "1",
  "a",
  "'",
  "σ",
  "ς",
  "Σ",
  "\u200d",
  "水漏れ",
];
const SPACES = ["", " ", " ", "  ", "\n", "\u00a0", ", ", ".", "-"];
const arbitraryText = fc
  .array(fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(...SPACES)), { minLength: 1, maxLength: 8 })
  .map((parts) => parts.flat().join(""));
const arbitrarySpeaker = fc.constantFrom(null, "agent", "Caller");
const arbitraryLines = fc.array(
  fc
    .tuple(
      fc.array(fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(" ", "", "  ")), {
        minLength: 1,
        maxLength: 2,
      }),
      arbitrarySpeaker,
    )
    .map(([parts, speaker]) => line(parts.flat().join(""), speaker)),
  { minLength: 1, maxLength: 8 },
);
const arbitraryTranscript: fc.Arbitrary<Transcript> = fc.record({
  transcription: fc.option(arbitraryText),
  transcription_details: fc.option(
    fc
      .array(
        fc.record({
          channel: fc.constantFrom<unknown>("agent", "caller", 1, null),
          text: fc.oneof(arbitraryText, fc.constantFrom<unknown>(null, 1, {})),
        }),
        { maxLength: 4 },
      )
      .map((lines) => JSON.stringify(lines)),
  ),
});

function findSlowly(lines: readonly TopicLine[], { transcription, transcription_details }: Transcript) {
  const list: { channel: unknown; text: unknown }[] = JSON.parse(transcription_details ?? "[]");
  const spoken = list.filter(({ text }) => ["string", "number"].includes(typeof text));
  const join = (some: typeof spoken) => some.map(({ text }) => text).join(" ");
  for (const [index, { phrase, speaker }] of lines.entries()) {
    const own = spoken.filter(({ channel }) => foldSlowly(String(channel)) === foldSlowly(String(speaker)));
    const whole = foldSlowly(transcription ?? "") === "" ? join(spoken) : (transcription ?? "");
    if (isIn(foldSlowly(phrase), foldSlowly(speaker === null ? whole : join(own)))) return index;
  }
  return undefined;
}

function isIn(phrase: string, text: string): boolean {
  const segments = [...new Intl.Segmenter("en", { granularity: "word" }).segment(text)];
  const boundaries = [...segments.map(({ index }) => index), text.length];
  return (
    phrase !== "" && boundaries.some((start) => boundaries.some((end) => text.slice(start, end) === phrase))
  );
}

function foldSlowly(text: string): string {
  const letters = Array.from(text.normalize("NFKC"), (letter) =>
    letter.toLowerCase().toUpperCase().toLowerCase(),
  );
  return letters
    .join("")
    .normalize("NFKC")
    .replaceAll("i\u0307", "i")
    .replaceAll("ς", "σ")
    .split(/\s+/)
    .filter(Boolean)
    .join(" ");
}
