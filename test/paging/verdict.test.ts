import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Evidence, judge, judgeIncremental, noEvidence } from "../../src/paging/verdict.ts";

/** What a full pass over 100 calls sees when nothing is wrong. */
const CLEAN: Evidence = {
  ...noEvidence(),
  slices: 3,
  startsAtFront: true,
  endReached: true,
  closingMet: true,
  firstTotal: 100,
  lastTotal: 100,
  fresh: 100,
};

const full = (changes: Partial<Evidence>, distinct = 100) => ({
  evidence: { ...CLEAN, ...changes },
  distinct,
});

describe("judge", () => {
  it.each([
    {
      ...full({}),
      verdict: "exact",
      verdict_reason: "all seams joined, and every one of 100 calls read",
    },
    {
      ...full({ firstTotal: 0, lastTotal: 0, fresh: 0 }, 0),
      verdict: "exact",
      verdict_reason: "all seams joined, and every one of 0 calls read",
    },
    {
      ...full({ seamsMended: 2 }),
      verdict: "exact",
      verdict_reason: "all seams joined, and every one of 100 calls read",
    },
    {
      ...full({ totalConstant: false, firstTotal: 99 }),
      verdict: "verified",
      verdict_reason: "all seams joined, while calls came or went: 100 calls read, total 100",
    },
    {
      ...full({ fresh: 101 }, 101),
      verdict: "verified",
      verdict_reason: "all seams joined, though the service counts fewer: 101 calls read, total 100",
    },
    {
      ...full({ fresh: 50 }, 50),
      verdict: "probable",
      verdict_reason: "all seams joined, but the service counts more: 50 calls read, total 100",
    },
    {
      ...full({ inversionsNear: 2 }),
      verdict: "probable",
      verdict_reason: "all seams joined, but 2 calls changed places nearby",
    },
    {
      ...full({ seamsBroken: 1, closingMet: false }),
      verdict: "probable",
      verdict_reason: "1 seam did not join, but 100 calls read, total 100",
    },
    {
      ...full({ seamsBroken: 2 }),
      verdict: "probable",
      verdict_reason: "2 seams did not join, but 100 calls read, total 100",
    },
    {
      ...full({ seamsBroken: 1, totalConstant: false }),
      verdict: "unverified",
      verdict_reason: "1 seam between pages did not join: 100 calls read, total 100",
    },
    {
      ...full({ seamsBroken: 2, fresh: 99 }, 99),
      verdict: "unverified",
      verdict_reason: "2 seams between pages did not join: 99 calls read, total 100",
    },
    {
      ...full({ startsAtFront: false }),
      verdict: "unverified",
      verdict_reason: "the service did not begin with the first call: 100 calls read, total 100",
    },
    {
      ...full({ endReached: false }),
      verdict: "unverified",
      verdict_reason: "the end of the calls was not reached: 100 calls read, total 100",
    },
    {
      ...full({ inversionsFar: 3 }),
      verdict: "unverified",
      verdict_reason: "3 calls changed places while reading",
    },
    {
      // Two calls met again so late that their first places were forgotten.
      ...full({ fresh: 102, inversionsFar: 1 }),
      verdict: "unverified",
      verdict_reason: "3 calls changed places while reading",
    },
    {
      ...full({ fresh: 49 }, 49),
      verdict: "unverified",
      verdict_reason: "too few calls came: 49 calls read, total 100",
    },
    {
      ...full({ lastTotal: 10_000, totalConstant: false, fresh: 9899 }, 9899),
      verdict: "unverified",
      verdict_reason: "too few calls came: 9899 calls read, total 10000",
    },
    {
      ...full({ lastTotal: 10_000, totalConstant: false, fresh: 9900 }, 9900),
      verdict: "verified",
      verdict_reason: "all seams joined, while calls came or went: 9900 calls read, total 10000",
    },
    {
      ...full({ torn: 1, fresh: 99 }, 99),
      verdict: "unverified",
      verdict_reason: "1 page had to be read in pieces: 99 calls read, total 100",
    },
    {
      ...full({ torn: 2 }),
      verdict: "unverified",
      verdict_reason: "2 pages had to be read in pieces: 100 calls read, total 100",
    },
    {
      ...full({ closingMet: false }),
      verdict: "unverified",
      verdict_reason: "the closing look at the front met no known call",
    },
  ] as const)("$verdict: $verdict_reason", ({ evidence, distinct, verdict, verdict_reason }) => {
    expect(judge(evidence, distinct)).toEqual({ verdict, verdict_reason });
  });

  it("is never sure of a pass that saw anything amiss", () => {
    const blemish = fc.constantFrom<Partial<Evidence>>(
      { startsAtFront: false },
      { endReached: false },
      { closingMet: false },
      { seamsBroken: 1 },
      { torn: 1 },
      { inversionsNear: 1 },
      { inversionsFar: 1 },
    );
    const total = fc.nat({ max: 200 });
    fc.assert(
      fc.property(blemish, total, total, fc.boolean(), (changes, lastTotal, distinct, totalConstant) => {
        const evidence = { ...CLEAN, lastTotal, fresh: distinct, totalConstant, ...changes };
        expect(["probable", "unverified"]).toContain(judge(evidence, distinct).verdict);
      }),
    );
  });
});

describe("judgeIncremental", () => {
  const SETTLED: Evidence = { ...CLEAN, slices: 1, settled: true, endReached: false, fresh: 60 };
  const news = (changes: Partial<Evidence>, expected = 100) => ({
    evidence: { ...SETTLED, ...changes },
    books: { expected, since: "2026-10-01T00:00:00.000Z" },
  });
  const balanced =
    "read up to known calls, and the books balance: 100 calls here and there; all were verified 2026-10-01T00:00:00.000Z";

  it.each([
    { ...news({}), verdict: "probable", verdict_reason: balanced },
    // Read from the end, where no look at the front is taken.
    {
      ...news({ startsAtFront: true, endReached: true, closingMet: false }),
      verdict: "probable",
      verdict_reason: balanced,
    },
    { ...news({ totalConstant: false, firstTotal: 99 }), verdict: "probable", verdict_reason: balanced },
    {
      ...news({ settled: false }),
      verdict: "unverified",
      verdict_reason: "no calls were met that are known and cannot have changed",
    },
    { ...news({ seamsBroken: 1 }), verdict: "unverified", verdict_reason: "the pages read did not join" },
    { ...news({ torn: 1 }), verdict: "unverified", verdict_reason: "the pages read did not join" },
    {
      ...news({ closingMet: false }),
      verdict: "unverified",
      verdict_reason: "the live end of the calls was not met again",
    },
    {
      ...news({ inversionsNear: 2, inversionsFar: 3 }),
      verdict: "unverified",
      verdict_reason: "5 calls changed places while reading",
    },
    {
      ...news({}, 99),
      verdict: "unverified",
      verdict_reason: "the books do not balance: 99 calls here, total 100",
    },
    {
      ...news({}, 101),
      verdict: "unverified",
      verdict_reason: "the books do not balance: 101 calls here, total 100",
    },
  ] as const)("$verdict: $verdict_reason", ({ evidence, books, verdict, verdict_reason }) => {
    expect(judgeIncremental(evidence, books)).toEqual({ verdict, verdict_reason });
  });
});
