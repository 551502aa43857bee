import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Evidence } from "../../src/paging/evidence.ts";
import { judge, judgeIncremental, SURE_VERDICTS } from "../../src/paging/verdict.ts";
import { BY_SOURCE, CLEAN, NEWEST, totals } from "../paging/clean-evidence.ts";
import { draws } from "../support/draws.ts";

/** The reasons in the table of docs/completeness.md: each a part of what the program prints. */
const EXPLAINED = readFileSync("docs/completeness.md", "utf8")
  .split("\n")
  .flatMap((line) => {
    const [, verdict, of, phrases] = /^\| `(\w+)`(, of [^:]+)?: ([^|]+) \|/.exec(line) ?? [];
    if (verdict === undefined || phrases === undefined) return [];
    return phrases
      .replaceAll("`", "")
      .split("; ")
      .map((phrase) => ({ verdict, of, phrase: phrase.trim() }));
  });

/** Mostly the usual value, sometimes another. */
const rarely = <T>(usual: T, ...others: T[]) => fc.constantFrom(...Array<T>(12).fill(usual), ...others);

const evidences: fc.Arbitrary<Evidence> = fc
  .record({
    startsAtFront: rarely(true, false),
    keys: rarely(NEWEST, BY_SOURCE, []),
    end: rarely<Evidence["end"]>("short slice", "nothing behind", "unseen", "disputed", "repeated"),
    gaps: rarely<Evidence["gaps"]>([], [{ first: 100, last: 119 }]),
    isProven: rarely(true, false),
    isLinked: rarely(true, false),
    isFrontMet: rarely(true, false),
    isOneLength: fc.boolean(),
    seamsBroken: rarely(0, 1, 2),
    fragmented: rarely(0, 1),
    vanished: rarely(0, 1),
    unplaced: rarely(0, 1),
    repeated: rarely(0, 1),
    old: rarely(0, 1),
    settled: rarely(true, false),
    totals: rarely(
      totals(),
      totals({ last: 90, least: 90, fall: 10, falls: 10, isConstant: false }),
      totals({ last: 80, least: 80, fall: 20, falls: 20, isConstant: false }),
      totals({ falls: 5, rises: 5, isConstant: false }),
      totals({ overruns: 1 }),
    ),
  })
  .map((changes) => ({ ...CLEAN, outOfPlace: 7, ...changes }));

it("docs explain exactly the reasons that a sync can give", () => {
  const seen = new Set<string>();
  const check = (verdict: string, reason: string, isIncremental: boolean) => {
    const found = EXPLAINED.filter(
      (each) =>
        each.verdict === verdict && reason.includes(each.phrase) && (each.of === undefined || isIncremental),
    );
    expect(found, `${verdict}: ${reason}`).not.toEqual([]);
    for (const { of, phrase } of found) seen.add(`${verdict}${of ?? ""}: ${phrase}`);
  };
  fc.assert(
    fc.property(evidences, fc.constantFrom(100, 100, 90, 80, 0), (evidence, distinct) => {
      const { verdict, verdict_reason } = judge(evidence, distinct);
      if (!SURE_VERDICTS.some((sure) => sure === verdict)) check(verdict, verdict_reason, false);
      const books = { expected: distinct, since: "2026-06-01T00:00:00.000Z", keys: NEWEST };
      const incremental = judgeIncremental(evidence, books);
      check(incremental.verdict, incremental.verdict_reason, true);
    }),
    { numRuns: draws(10_000) },
  );
  expect([...seen].sort()).toEqual(
    EXPLAINED.map(({ verdict, of, phrase }) => `${verdict}${of ?? ""}: ${phrase}`).sort(),
  );
});
