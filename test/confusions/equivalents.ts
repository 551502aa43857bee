/** A swap that changes nothing that anyone could see; known by its text, since lines move. */
interface Equivalent {
  file: string;
  /** The line where it begins, trimmed. */
  on: string;
  from: string;
  to: string;
  reason: string;
}

const TAIL = "for (let count = part; count >= least && term > sum * Number.EPSILON; count--) {";

/** At most one of twenty drawn may be one of these. Read by somebody who did not write the code. */
export const EQUIVALENTS: readonly Equivalent[] = [
  {
    file: "src/figures/change-chance.ts",
    on: "return isShareWithinChance(",
    from: `isShareWithinChance(
    { part: Math.round(now * calls), whole: calls },
    { part: Math.round(before * callsBefore), whole: callsBefore },
  )`,
    to: `isShareWithinChance(
    { part: Math.round(before * callsBefore), whole: callsBefore }, { part: Math.round(now * calls), whole: calls })`,
    reason: "the test of two shares does not depend on their order",
  },
  ...["clicks", "impressions"].map((what) => ({
    file: "src/figures/amounts/spent.ts",
    on: `${what}: add(known.${what}, added.${what}),`,
    from: `add(known.${what}, added.${what})`,
    to: `add(added.${what}, known.${what})`,
    reason: "a sum does not depend on the order",
  })),
  ...["id > before[0]", "id < after[0]"].map((from) => ({
    file: "src/features/outcomes/match-jobs.ts",
    on: from.includes("before")
      ? "if (before === undefined || started > before[1] || (started === before[1] && id > before[0]))"
      : "} else if (after === undefined || started < after[1] || (started === after[1] && id < after[0]))",
    from,
    to: from.replace(/[<>]/, "$&="),
    reason: "no two calls have one id",
  })),
  {
    file: "src/sources/sqlite/call-columns.ts",
    on: "for (let index = 0; index < setters.length; index++) setters[index]?.(row, values[index] ?? null);",
    from: "index < setters.length",
    to: "index <= setters.length",
    reason: "there is no setter behind the last",
  },
  {
    file: "src/calls/attribution/topics.ts",
    on: "while (same < phrase.length && phrase.charCodeAt(same) === text.charCodeAt(start + same)) same++;",
    from: "same < phrase.length",
    to: "same <= phrase.length",
    reason: "the code behind the end is NaN, which equals nothing",
  },
  {
    file: "src/features/hygiene/find-problems.ts",
    on: "const earlier = (a: string | null, b: string | null) => (a === null || (b !== null && b < a) ? b : a);",
    from: "b < a",
    to: "b <= a",
    reason: "either of two equal times",
  },
  {
    file: "src/features/hygiene/near-misses.ts",
    on: "(distance(word, other) === 1 || isSwapped(word, other))",
    from: "distance(word, other)",
    to: "distance(other, word)",
    reason: "the distance of two words does not depend on their order",
  },
  {
    file: "src/features/hygiene/find-problems.ts",
    on: "source === referring_host ? referring_host : null,",
    from: "referring_host",
    to: "source",
    reason: "both are equal there",
  },
  {
    file: "src/base/chance.ts",
    on: TAIL,
    from: "term > sum * Number.EPSILON",
    to: "term >= sum * Number.EPSILON",
    reason: "a term so small does not change the sum",
  },
  {
    file: "src/base/chance.ts",
    on: TAIL,
    from: "count >= least && term > sum * Number.EPSILON",
    to: "count >= least",
    reason: "terms so small do not change the sum",
  },
  {
    file: "src/base/chance.ts",
    on: "if (part * lot > whole * parts) {",
    from: "part * lot > whole * parts",
    to: "part * lot >= whole * parts",
    reason: "at the mean both tails are as long, and each gives the same sum",
  },
  {
    file: "src/base/chance.ts",
    on: "if (n < LARGE) {",
    from: "n < LARGE",
    to: "n <= LARGE",
    reason: "there both ways have all digits of a double",
  },
  {
    file: "src/features/outcomes/staged-jobs.ts",
    on: "const amount = formatMicros(BigInt(one.amount_micros ?? 0));",
    from: "one",
    to: "other",
    reason: "the error is about two lines of the same amount",
  },
];
