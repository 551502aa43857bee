/** A change that no test can notice, since nothing it decides differs. */
export interface Equivalent {
  /** The line that it begins in. */
  on: string;
  from: string;
  to: string;
  because: string;
}

export const EQUIVALENT: Readonly<Record<string, readonly Equivalent[]>> = {
  "src/attribution/attribution-rules.ts": [
    {
      on: "aliases: Object.fromEntries(Object.entries(aliases).sort(([a], [b]) => (a < b ? -1 : 1))),",
      from: "a < b",
      to: "a <= b",
      because: "no two names of an object are equal",
    },
  ],
  "src/attribution/call-text.ts": [
    {
      on: 'const isShort = trimmed.length <= LONGEST_MISSING_WORD || trimmed.startsWith("(");',
      from: 'trimmed.length <= LONGEST_MISSING_WORD || trimmed.startsWith("(")',
      to: "true",
      because: "it only spares a look at long texts",
    },
    {
      on: 'const isShort = trimmed.length <= LONGEST_MISSING_WORD || trimmed.startsWith("(");',
      from: '"("',
      to: '""',
      because: "it only spares a look at long texts",
    },
    {
      on: 'const digits = toPhoneDigits(present ?? "");',
      from: '""',
      to: '"Stryker was here!"',
      because: "neither is a number",
    },
    {
      on: "const NEITHER_LETTER_NOR_DIGIT = /[^\\p{L}\\p{N}]+/gu;",
      from: "/[^\\p{L}\\p{N}]+/gu",
      to: "/[^\\p{L}\\p{N}]/gu",
      because: "all of them are removed, one by one or together",
    },
  ],
  "src/paging/id-sketch.ts": [
    {
      on: "readonly #bits = new Uint32Array(BITS / 32);",
      from: "BITS / 32",
      to: "BITS * 32",
      because: "more memory, of which no more is used",
    },
  ],
  "src/paging/order-key.ts": [
    {
      on: 'const wanted = new Set((names ?? "").split(", "));',
      from: '""',
      to: '"Stryker was here!"',
      because: "no key has that name",
    },
    {
      on: "return left < right ? -1 : 1;",
      from: "left < right",
      to: "left <= right",
      because: "they are not equal there",
    },
  ],
};
