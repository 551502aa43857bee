import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Behind, Evidence } from "../../../src/service/paging/evidence.ts";
import { readKeys } from "../../../src/service/paging/order-key.ts";
import {
  judge,
  judgeIncremental,
  missingCallThreshold,
  type Verdict,
} from "../../../src/service/paging/verdict.ts";
import { BY_SOURCE, CLEAN, NEWEST, totals } from "./clean-evidence.ts";

const moved = (last: number, least: number) => ({
  totals: totals({ last, least, most: Math.max(100, last), isConstant: false }),
});

const look = (changes: Partial<Behind>): Behind => ({
  offset: 100,
  total: 100,
  rows: 0,
  unseen: 0,
  after: 3,
  repeats: undefined,
  ...changes,
});

describe("judge", () => {
  it.each<[verdict: Verdict, says: string, changes: Partial<Evidence>, distinct?: number]>([
    ["exact", "all pages joined, and every one of 100 calls read", {}],
    ["exact", "every one of 0 calls read", { totals: totals({ first: 0, last: 0, least: 0, most: 0 }) }, 0],
    ["exact", "every one of 100 calls read", { seamsMended: 2 }],
    ["exact", "every one of 100 calls read", { keys: BY_SOURCE }],
    ["verified", "while calls came or went: 101 calls read, total 103", moved(103, 100), 101],
    ["verified", "while calls came or went: 100 calls read, total 98", moved(98, 98), 100],
    ["probable", "total stood still while calls came or went: 101 calls read, total 100", {}, 101],
    ["probable", "in no order by id, start or source: call 7 is out of place", { keys: [], outOfPlace: 7 }],
    ["probable", "more calls than fit on a page have the same place in the order", { isProven: false }],
    ["probable", "1 response repeated an earlier request_id", { repeated: 1 }],
    ["probable", "2 responses came from the past", { old: 2 }],
    ["probable", "some rows have no readable call_id", { unplaced: 1 }],
    [
      "probable",
      "an order by source may depend on the sources' figures",
      { keys: BY_SOURCE, ...moved(101, 100) },
      101,
    ],
    ["probable", "total contradicts its pages, which go beyond it", { totals: totals({ overruns: 1 }) }],
    ["probable", "total fell by 11 while reading", { totals: totals({ fall: 11, falls: 11 }) }],
    ["exact", "every one of 100 calls read", { totals: totals({ fall: 10, falls: 10 }) }],
    ["probable", "1 call is no longer in place, though total fell by only 0", { vanished: 1 }],
    [
      "probable",
      "total fell and rose while reading, and counted more: 99 calls read, total up to 100",
      { totals: totals({ falls: 4, rises: 4, least: 96, isConstant: false }) },
      99,
    ],
    [
      "verified",
      "100 calls read, total 100",
      { totals: totals({ falls: 4, rises: 4, least: 96, isConstant: false }) },
    ],
    ["exact", "every one of 100 calls read", { end: "nothing behind" }],
    [
      "probable",
      "fewer than two full pages of one length do not prove the end",
      { end: "nothing behind", ...moved(103, 100) },
      101,
    ],
    [
      "probable",
      "calls read, total 103; but pages of different lengths do not prove the end",
      { end: "nothing behind", isOneLength: false, ...moved(103, 100) },
      101,
    ],
    ["exact", "calls read", { vanished: 2, ...moved(98, 98), totals: totals({ falls: 2 }) }],
    // 98 of 100 calls counted at first were read before the closing look met two new ones.
    [
      "probable",
      "2 calls are no longer in place, though total fell by only 0",
      { closingOnly: 2, ...moved(102, 100) },
    ],
    [
      "verified",
      "while calls came or went: 100 calls read, total 100",
      { closingOnly: 2, totals: totals({ falls: 2, isConstant: false }) },
    ],
    // A call that vanished had been read: it is not one of the unread ones.
    [
      "probable",
      "2 calls are no longer in place, though total fell by only 1",
      { closingOnly: 1, vanished: 1, totals: totals({ falls: 1, isConstant: false }) },
    ],
    ["probable", "the service counts more than it lists", { end: "disputed" }],
    ["probable", "the service counts more than it lists: 99 calls read, total 100", {}, 99],
    ["probable", "counts more than it lists: 99 calls read, total 103", moved(103, 100), 99],
    ["unverified", "did not begin with the first call", { startsAtFront: false }],
    ["unverified", "the end of the calls was not reached: 100 calls read", { end: "unseen", fresh: 130 }],
    [
      "unverified",
      "the end of the calls was not reached: offset 20 gave rows 1 to 20: 20 calls read, total 100",
      { end: "unseen", behind: [look({ offset: 20, repeats: 0, rows: 20 })] },
      20,
    ],
    [
      "unverified",
      "not reached: offset 100 gave 1 other call: 101 calls read, total 103",
      { end: "unseen", ...moved(103, 100), behind: [look({ rows: 2, unseen: 1 })] },
      101,
    ],
    [
      "probable",
      "no page shows the end of the calls: offset 100 gave rows 51 to 100: 100 calls read, total 100",
      { end: "unseen", behind: [look({ repeats: 50, rows: 50 })] },
    ],
    // As many as the service counts, and yet one more was seen.
    [
      "unverified",
      "not reached: offset 100 gave 1 other call: 100 calls read, total 100",
      { end: "unseen", behind: [look({ rows: 1, unseen: 1 })] },
    ],
    [
      "unverified",
      "not reached: offset 100 gave 3 known calls: 90 calls read, total 100",
      { end: "unseen", behind: [look({ rows: 3 })] },
      90,
    ],
    [
      "probable",
      "no page shows the end of the calls: offset 100 gave rows 1 to 100",
      { end: "repeated", behind: [look({ repeats: 0, rows: 100 })] },
    ],
    [
      "unverified",
      "the list ended early and went on: offsets 63 to 69 came empty: 93 calls read, total 100",
      { gaps: [{ first: 63, last: 69 }], isLinked: false },
      93,
    ],
    [
      "unverified",
      "no call came from offset 89 on, though the service counts more: 89 calls read, total 100",
      { end: "disputed", endsAt: 89 },
      89,
    ],
    [
      "probable",
      "the service counts more than it lists: 90 calls read, total 100",
      { end: "disputed", endsAt: 90 },
      90,
    ],
    // Rows without an id are not missing calls.
    ["probable", "some rows have no readable call_id", { unplaced: 30 }, 70],
    [
      "unverified",
      "no row has a readable call_id (9007199254740993 is beyond 2^53 − 1): 0 calls read, total 100",
      { unplaced: 100, unplacedReason: "9007199254740993 is beyond 2^53 − 1" },
      0,
    ],
    ["unverified", "no call came: 0 calls read, total 100", {}, 0],
    [
      "unverified",
      "no call came from offset 60 on, though the service counts more: 60 calls read, total 100",
      { end: "unseen", endsAt: 60, behind: [look({ offset: 60 })] },
      60,
    ],
    [
      "unverified",
      "no other call came from offset 20 on: offset 20 gave rows 1 to 15, though the service counts more: 20 calls read",
      { end: "repeated", endsAt: 20, behind: [look({ offset: 20, rows: 15, repeats: 0 })] },
      20,
    ],
    ["unverified", "1 page had to be read in pieces", { fragmented: 1 }],
    [
      "unverified",
      "the closing look at the front met 12 calls of the first page, where 50 are needed: 100 calls read",
      { isFrontMet: false, isLinked: false, front: { met: 12, needed: 50 } },
    ],
    // Not: the service lists fewer calls than it counts.
    [
      "unverified",
      "2 seams between pages did not join: 80 calls read, total 100",
      { isLinked: false, seamsBroken: 2 },
      80,
    ],
    ["unverified", "2 seams between pages did not join", { isLinked: false, seamsBroken: 2 }],
    ["unverified", "and the counts do not fit: 99 calls read, total 100", { keys: [] }, 99],
    // The list did not end early: calls changed places, and some came twice.
    [
      "unverified",
      "and the counts do not fit: 80 calls read, total 100",
      { end: "unseen", keys: [], isProven: false, behind: [look({ offset: 100 })] },
      80,
    ],
    [
      "unverified",
      "80 calls read, total 100; and far fewer calls came than the service counted: 80 of 100",
      {},
      80,
    ],
    [
      "unverified",
      "total fell by 3000 while reading: a replica may lag; and far fewer calls came than the service counted: 2000 of 5000",
      {
        totals: totals({
          first: 5000,
          last: 2000,
          least: 2000,
          most: 5000,
          isConstant: false,
          fall: 3000,
          falls: 3000,
        }),
      },
      2000,
    ],
    [
      "probable",
      "all pages joined, but calls came or went at each look for the end: 101 calls read, total 103",
      { end: "moving", ...moved(103, 100) },
      101,
    ],
    ["unverified", "and the counts do not fit: 99 calls read, total 100", { isProven: false }, 99],
  ])("%s: %s", (verdict, says, changes, distinct = 100) => {
    const judgement = judge({ ...CLEAN, ...changes }, distinct);
    expect(judgement.verdict).toBe(verdict);
    expect(judgement.verdict_reason).toContain(says);
    // The operator can change what prevents the proof.
    const isSure = verdict === "exact" || verdict === "verified";
    expect(judgement.advice === null).toBe(isSure);
  });

  it("recommends what the operator can do", () => {
    const again = "Run `calltally sync --full` again, at a quieter time.";
    const total = "Ask the support of the service what `total` counts.";
    const order = "Ask the support of the service for a stable order by call id or start";
    const TIES =
      "A larger --limit may join the pages. At 1000, the most, only another order can: ask the service's support for one by call id.";
    const cases: [Partial<Evidence>, number, string][] = [
      [{ startsAtFront: false }, 100, "Ask the support of the service what offset 0 gives."],
      [{ end: "unseen", fresh: 130 }, 100, again],
      [
        { end: "repeated", behind: [look({ rows: 1 })] },
        100,
        "Ask the support of the service what offset 100 gives: beyond the last call a page should be empty.",
      ],
      [{ gaps: [{ first: 63, last: 69 }] }, 93, "Ask the support of the service why these pages are empty."],
      [
        { end: "disputed", endsAt: 80 },
        80,
        "Ask the support of the service for the calls beyond offset 80, or sync each organization unit into its own warehouse (setting org_unit_id).",
      ],
      [
        { end: "repeated", endsAt: 20, behind: [look({ offset: 20, rows: 20, repeats: 0 })] },
        20,
        "Ask the support of the service why offset 20 gives the first calls again: it seems to ignore `offset`.",
      ],
      // Calls are left out of pages that go on to the total.
      [
        { end: "disputed", endsAt: 98 },
        70,
        "Ask the support of the service what `total` counts: its pages list fewer calls, though none came or went.",
      ],
      [{ end: "disputed", endsAt: 98, ...moved(100, 99) }, 70, again],
      [{}, 0, "Ask the support of the service why its pages are empty."],
      [
        { fragmented: 2 },
        100,
        "See the rows that the service fails on in `rejected_calls`, and report them to its support.",
      ],
      [{ isFrontMet: false }, 100, again],
      [
        { isLinked: false },
        100,
        "Try another --limit; if the problem remains, see `calltally doctor`: pages may not overlap as they should.",
      ],
      [{ keys: [] }, 99, `${order}; without one no pass can be proven.`],
      [{ keys: [] }, 100, `${order}; without one no pass can be proven.`],
      [{ isProven: false }, 99, TIES],
      [{ isProven: false }, 100, TIES],
      [{ repeated: 1 }, 100, "Make caches between here and the service obey `cache-control: no-cache`."],
      [
        { old: 1 },
        100,
        "Ask the support of the service about caches or replicas that lag; or try a run at a quieter time.",
      ],
      [{ keys: BY_SOURCE }, 101, `${order}; a run during which no call comes or goes can be exact.`],
      [{ unplaced: 1 }, 100, "See them in `rejected_calls`, and report them to the service's support."],
      [{ totals: totals({ overruns: 1 }) }, 100, total],
      [
        { totals: totals({ fall: 11 }) },
        100,
        "If so many calls were deleted, the next full pass will confirm it; otherwise: ask the support of the service about replicas.",
      ],
      [
        { vanished: 1 },
        100,
        "Ask the support of the service whether calls change places, as in an order by last update.",
      ],
      [{ end: "disputed" }, 100, total],
      [
        { totals: totals({ falls: 1, rises: 1, isConstant: false }) },
        99,
        "Ask the support of the service about caches or replicas that lag; or try a run at a quieter time.",
      ],
      [
        { end: "nothing behind", totals: totals({ isConstant: false }) },
        100,
        "Run `calltally sync --full` again: a run during which no call comes or goes can be exact.",
      ],
    ];
    expect(cases.map(([changes, distinct]) => judge({ ...CLEAN, ...changes }, distinct).advice)).toEqual(
      cases.map(([, , advice]) => advice),
    );
  });

  it.each<[reason: string, changes: Partial<Evidence>]>([
    ["in no order by id, start or source", { keys: [], outOfPlace: 7 }],
    ["more calls than fit on a page", { isProven: false }],
    ["calls came or went at each look", { end: "moving" }],
    ["no page shows the end", { end: "repeated" }],
    ["1 response repeated an earlier request_id", { repeated: 1 }],
    ["1 response came from the past", { old: 1 }],
    ["an order by source may depend", { keys: BY_SOURCE }],
    ["total contradicts its pages", {}],
    ["total fell by", {}],
    ["total fell and rose", {}],
    ["the service counts more than it lists", { end: "disputed" }],
    ["1 call is no longer in place", { vanished: 1 }],
    ["do not prove the end", { end: "nothing behind" }],
  ])(
    "vouches for no pass that read fewer calls than the missing-call threshold allows: %s",
    (reason, changes) => {
      // The threshold of 2,000 calls is 20; total begins above it, and falls and rises where the reason needs it.
      const special: Record<string, Partial<Evidence["totals"]>> = {
        "total contradicts its pages": { overruns: 1 },
        "total fell by": { fall: 21 },
        "total fell and rose": { falls: 3, rises: 2 },
      };
      const judged = (most: number, distinct: number) => {
        const counts = totals({
          first: distinct,
          last: distinct,
          least: distinct,
          most,
          isConstant: false,
          ...special[reason],
        });
        return judge({ ...CLEAN, endsAt: distinct, totals: counts, ...changes }, distinct);
      };
      const [within, beyond] = [judged(2000, 1980), judged(2000, 1979)];
      expect(within).toMatchObject({ verdict: "probable", verdict_reason: expect.stringContaining(reason) });
      expect(beyond).toMatchObject({
        verdict: "unverified",
        verdict_reason: expect.stringContaining(reason),
      });
      expect(beyond.verdict_reason).toContain(
        "; and far fewer calls came than the service counted: 1979 of 2000",
      );
      expect(beyond.advice).toBe(within.advice);
    },
  );

  it.each([
    {
      title: "calls that came have moved them there",
      look: { offset: 101, total: 102, rows: 1, repeats: 100 },
      rises: 1,
      asks: false,
    },
    {
      title: "they lie further than calls came",
      look: { offset: 101, total: 102, rows: 1, repeats: 99 },
      rises: 1,
      asks: true,
    },
    {
      title: "they lie beyond their own total",
      look: { offset: 102, total: 102, rows: 1, repeats: 101 },
      rises: 1,
      asks: true,
    },
    { title: "no call came", look: { offset: 100, total: 101, rows: 1, repeats: 99 }, rises: 0, asks: true },
  ])(
    "advises to ask the support about known calls behind the end: $asks if $title",
    ({ look: known, rises, asks }) => {
      const evidence = {
        ...CLEAN,
        end: "unseen" as const,
        fresh: 130,
        behind: [look(known)],
        totals: totals({ rises, isConstant: rises === 0 }),
      };
      const { advice } = judge(evidence, 100);
      expect(advice?.startsWith("Ask the support of the service what offset")).toBe(asks);
    },
  );

  it("uses the singular for one page, seam, response or call", () => {
    const reasons = [1, 2].flatMap((count) =>
      [
        { fragmented: count },
        { isLinked: false, seamsBroken: count },
        { repeated: count },
        { old: count },
        { vanished: count },
      ].map((changes) => judge({ ...CLEAN, ...changes }, 100).verdict_reason),
    );
    expect(reasons).toEqual([
      "1 page had to be read in pieces: 100 calls read, total 100",
      "1 seam between pages did not join: 100 calls read, total 100",
      "all pages joined, but 1 response repeated an earlier request_id: a cache may have responded",
      "all pages joined, but 1 response came from the past by the service's own timestamps",
      "all pages joined, but 1 call is no longer in place, though total fell by only 0",
      "2 pages had to be read in pieces: 100 calls read, total 100",
      "2 seams between pages did not join: 100 calls read, total 100",
      "all pages joined, but 2 responses repeated an earlier request_id: a cache may have responded",
      "all pages joined, but 2 responses came from the past by the service's own timestamps",
      "all pages joined, but 2 calls are no longer in place, though total fell by only 0",
    ]);
    // A seam that was repaired or broken elsewhere does not concern the front.
    const unlinked = judge({ ...CLEAN, isFrontMet: false, isLinked: false, seamsBroken: 3 }, 100);
    expect(unlinked.verdict_reason).toBe("3 seams between pages did not join: 100 calls read, total 100");
  });

  it("forgives as many missing calls as arrived after the least total, and no more", () => {
    const grown = { totals: totals({ last: 110, least: 104, most: 110, isConstant: false }) };
    expect([103, 104, 110].map((distinct) => judge({ ...CLEAN, ...grown }, distinct).verdict)).toEqual([
      "probable",
      "verified",
      "verified",
    ]);
    const unproven = { ...CLEAN, ...grown, isProven: false };
    expect([103, 104].map((distinct) => judge(unproven, distinct).verdict)).toEqual([
      "unverified",
      "probable",
    ]);
    const overrun = { ...unproven, totals: { ...unproven.totals, overruns: 1 } };
    expect(judge(overrun, 110).verdict).toBe("unverified");
  });

  it("never verifies a pass with any irregularity", () => {
    const blemish = fc.constantFrom<Partial<Evidence>>(
      { startsAtFront: false },
      { end: "unseen" },
      { end: "disputed" },
      { end: "repeated" },
      { gaps: [{ first: 1, last: 1 }] },
      { isFrontMet: false },
      { isLinked: false },
      { isProven: false },
      { keys: [] },
      { fragmented: 1 },
      { unplaced: 1 },
      { repeated: 1 },
      { old: 1 },
      { vanished: 1_000_000 },
      { totals: totals({ overruns: 1 }) },
      { totals: totals({ fall: 1000 }) },
    );
    fc.assert(
      fc.property(blemish, fc.nat({ max: 200 }), fc.nat({ max: 200 }), (changes, last, distinct) => {
        const evidence = { ...CLEAN, ...moved(last, 0), ...changes };
        expect(["probable", "unverified"]).toContain(judge(evidence, distinct).verdict);
      }),
    );
  });
});

describe("missingCallThreshold", () => {
  it.each([
    [0, 10],
    [1000, 10],
    [1001, 11],
    [250_000, 2500],
  ])("of %i calls is %i", (calls, threshold) => {
    expect(missingCallThreshold(calls)).toBe(threshold);
  });
});

describe("judgeIncremental", () => {
  const SETTLED: Evidence = { ...CLEAN, slices: 1, settled: true, end: "unseen", fresh: 60 };
  const incremental = (changes: Partial<Evidence>, expected = 100) => ({
    evidence: { ...SETTLED, ...changes },
    books: { expected, since: "2026-10-01 00:00 UTC", keys: NEWEST },
  });

  it("requires one of the orders that the calls had, and names it", () => {
    const { evidence, books } = incremental({});
    const both = readKeys("call_id desc, call_started desc");
    expect(judgeIncremental(evidence, { ...books, keys: both }).verdict).toBe("probable");
    expect(judgeIncremental(evidence, { ...books, keys: [] }).verdict_reason).toBe(
      "the calls are not listed as before, in order",
    );
  });

  it.each<[verdict: Verdict, says: string, changes: Partial<Evidence>, expected?: number]>([
    [
      "probable",
      "read up to known calls, newest start first, and the counts agree: 100 calls here and at the service; all were verified 2026-10-01 00:00 UTC",
      {},
    ],
    // Read from the end, without a look at the front.
    ["probable", "the counts agree", { end: "nothing behind", isFrontMet: false }],
    ["probable", "the counts agree", moved(100, 99)],
    ["unverified", "not listed as before, newest start first", { keys: readKeys("call_started asc") }],
    ["unverified", "not listed as before", { keys: [] }],
    ["unverified", "found no known calls that cannot have changed", { settled: false }],
    ["unverified", "the pages read did not join", { isProven: false }],
    ["unverified", "the pages read did not join", { fragmented: 1 }],
    ["unverified", "the live end of the list was not found again", { isFrontMet: false }],
    ["unverified", "a cache or a lagging replica", { repeated: 1 }],
    ["unverified", "a cache or a lagging replica", { old: 1 }],
    ["unverified", "the counts disagree: 99 calls here, total 100", {}, 99],
    ["unverified", "the counts disagree: 101 calls here, total 100", {}, 101],
  ])("%s: %s", (verdict, says, changes, expected) => {
    const { evidence, books } = incremental(changes, expected);
    const judgement = judgeIncremental(evidence, books);
    expect(judgement.verdict).toBe(verdict);
    expect(judgement.verdict_reason).toContain(says);
    expect(judgement.advice).toBe(
      verdict === "probable"
        ? "Nothing: the next full pass will prove it. To prove it now, run `calltally sync --full`."
        : "Run `calltally sync --full`.",
    );
  });
});
