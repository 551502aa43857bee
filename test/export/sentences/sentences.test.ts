import { describe, expect, it } from "vitest";
import type { SentenceFacts } from "../../../src/export/sentences/facts.ts";
import { saySentence, sentencesOf, toSentenceText } from "../../../src/export/sentences/sentences.ts";
import type { Statement } from "../../../src/export/statements/statements.ts";

/** Two weeks alike: 120 calls, of which 20 missed and 40 qualified. */
const TOTAL = {
  calls: 120,
  calls_previous: 120,
  missed_calls: 20,
  missed_calls_previous: 20,
  qualified_calls: 40,
  qualified_calls_previous: 40,
};
const QUIET: SentenceFacts = {
  statements: [],
  total: TOTAL,
  compared: { times: 1, before: "the week before" },
  movers: { up: [], down: [] },
  notices: [],
  restatements: [],
};
const DOUBT: Statement = { id: "first_load", level: "doubt", values: {} };

const SPEND = { currency: "USD", cost: 2000, calls: 100, campaigns: 10 };
const silent = (cost: number, isKnown = true) => ({ name: "Boilers", cost, isKnown });
const SOLD = { currency: "USD", by: "job-date", total: {} } as const;
const sold = (now: number, before: number) => ({
  sold_calls: now,
  sold_calls_previous: before,
  booked_calls: 3 * now,
  booked_calls_previous: 3 * before,
  revenue: now * 100,
  revenue_previous: before * 100,
});
const NOTICE = { dimension: "source", name: "google", kind: "silent", since: "2 Nov 2026 08:47" } as const;
const moved = (dimension: string, name: string | null, before: number, calls: number) => ({
  dimension,
  name,
  calls,
  before,
});
const restated = (metric: string, was: number | null, now: number | null, key = {}) => ({
  metric,
  key,
  period: "2026-10-12",
  was,
  now,
  change: null,
});

const textsOf = (facts: Partial<SentenceFacts>) => sentencesOf({ ...QUIET, ...facts }).map(toSentenceText);

/** Each rule in a situation, and in one next to it in which it is silent. */
const CASES: { rule: string; facts: Partial<SentenceFacts>; text: string; silent: Partial<SentenceFacts> }[] =
  [
    {
      rule: "fewer calls in a shorter month, at a lower rate",
      facts: {
        total: { calls: 200, calls_previous: 310 },
        compared: { times: 1.1, before: "the week before" },
      },
      text: "200 calls came in, 110 fewer than the week before.",
      // Fewer, at a higher rate.
      silent: {
        total: { calls: 200, calls_previous: 310 },
        compared: { times: 2, before: "the week before" },
      },
    },
    {
      rule: "calls of days before which no call is known",
      facts: { total: { calls: 74, calls_previous: 0 } },
      text: "74 calls came in, 74 more than the week before.",
      silent: { total: { calls: 74, calls_previous: 0 }, compared: undefined },
    },
    {
      rule: "calls that are missed more often in opening hours, of which alone it is",
      facts: {
        total: {
          ...TOTAL,
          calls_in_hours: 81,
          calls_in_hours_previous: 88,
          missed_in_hours: 31,
          missed_in_hours_previous: 14,
        },
      },
      text: "31 of 81 calls in opening hours were missed (38.3%), 17 more than the week before (15.9%).",
      silent: {
        total: {
          ...TOTAL,
          missed_calls: 60,
          calls_in_hours: 81,
          calls_in_hours_previous: 88,
          missed_in_hours: 14,
          missed_in_hours_previous: 14,
        },
      },
    },
    {
      rule: "fewer calls of which more are missed",
      facts: {
        total: { calls: 40, calls_previous: 55, missed_calls: 18, missed_calls_previous: 8 },
      },
      text: "18 of 40 calls were missed (45.0%), 10 more than the week before (14.5%).",
      silent: { total: { calls: 40, calls_previous: 55, missed_calls: 12, missed_calls_previous: 8 } },
    },
    {
      rule: "calls that qualify less often",
      facts: { total: { ...TOTAL, qualified_calls: 15 } },
      text: "15 of 120 calls were qualified (12.5%), 25 fewer than the week before (33.3%).",
      silent: { total: { ...TOTAL, qualified_calls: 30 } },
    },
    {
      rule: "spend that brought no call, where it would have at the usual cost",
      facts: { spend: { ...SPEND, silent: [silent(412), silent(300), silent(20)] } },
      text: "Campaign Boilers cost 412.00 USD and brought no call; 1 more campaign spent without a call.",
      // One call costs 20.00 USD, so four would be expected, of ten campaigns.
      silent: { spend: { ...SPEND, silent: [silent(80)] } },
    },
    {
      rule: "spend of a campaign that calls may name otherwise",
      facts: { spend: { ...SPEND, silent: [silent(412, false)] } },
      text: "Campaign Boilers cost 412.00 USD, and no call has ever had its name or id.",
      silent: {
        spend: { ...SPEND, silent: [silent(412, false)] },
        statements: [{ id: "filters_of_calls_alone", level: "caution", values: { filters: "disposition" } }],
      },
    },
    {
      rule: "the source whose calls fell most, which is more than its channel says",
      facts: {
        movers: { up: [], down: [moved("channel", "Paid", 120, 74), moved("source", "google", 120, 74)] },
        total: { ...TOTAL, calls_previous: 130 },
      },
      text: "Calls from google fell from 120 to 74.",
      silent: {
        movers: { up: [], down: [moved("source", "google", 120, 74)] },
        // A shorter time.
        compared: { times: 2, before: "the week before" },
        total: { calls: 120, calls_previous: 240 },
      },
    },
    {
      rule: "calls without a campaign",
      facts: { movers: { up: [moved("campaign", null, 0, 30)], down: [] } },
      text: "Calls without a campaign rose from 0 to 30.",
      silent: {},
    },
    {
      rule: "calls of a topic, and not those of all",
      facts: {
        movers: { up: [moved("channel", "Direct", 120, 120), moved("topic", "repair", 10, 60)], down: [] },
      },
      text: "Calls about repair rose from 10 to 60.",
      silent: { movers: { up: [moved("channel", "Direct", 120, 120)], down: [] } },
    },
    {
      rule: "sold calls, with their revenue",
      facts: { outcomes: { ...SOLD, total: sold(12, 40) } },
      text: "By the jobs imported so far, 12 calls were sold, 28 fewer than the week before; revenue was 1,200.00 USD, after 4,000.00 USD.",
      // Jobs of the latest calls are still to come.
      silent: { outcomes: { ...SOLD, by: "call", total: sold(12, 40) } },
    },
    {
      rule: "more sold calls by the period of the call",
      facts: { outcomes: { ...SOLD, by: "call", total: sold(40, 12) } },
      text: "By the jobs imported so far, 40 calls were sold, 28 more than the week before; revenue was 4,000.00 USD, after 1,200.00 USD.",
      silent: { outcomes: { ...SOLD, by: "call", total: sold(40, 0) } },
    },
    {
      rule: "booked calls, without amounts",
      facts: { outcomes: { ...SOLD, currency: null, total: sold(40, 12) } },
      text: "By the jobs imported so far, 120 calls were booked, 84 more than the week before.",
      silent: { outcomes: { ...SOLD, currency: null, total: sold(12, 12) } },
    },
    {
      rule: "a source that went silent, before one with more calls",
      facts: {
        notices: [
          { ...NOTICE, kind: "many", expected: 90 },
          { ...NOTICE, expected: 14.2 },
        ],
      },
      text: "No call from google since 2 Nov 2026 08:47; 14.2 were expected until it was noticed. 1 other notice is open.",
      silent: {},
    },
    {
      rule: "all calls, far fewer than usual",
      facts: { notices: [{ ...NOTICE, dimension: "all", name: "[]", kind: "few", expected: 90 }] },
      text: "Far fewer calls than usual since 2 Nov 2026 08:47.",
      silent: {},
    },
    {
      rule: "one figure that was restated",
      facts: { restatements: [restated("missed_calls", 14, 13)] },
      text: "1 figure of earlier reports changed: missed calls of 12 Oct 2026, from 14 to 13.",
      silent: { restatements: [] },
    },
    {
      rule: "restated figures, the largest change of calls",
      facts: {
        restatements: [
          restated("total_duration_seconds", 1000, 5000),
          restated("calls", 40, 41, { source: "bing" }),
          restated("calls", 985, 1092, { source: "google", medium: null }),
          restated("answer_rate", 0.5, 0.75),
        ],
      },
      text: "4 figures of earlier reports changed, such as calls of google, 12 Oct 2026, from 985 to 1,092.",
      silent: {},
    },
    {
      rule: "restated figures that are no counts",
      facts: { restatements: [restated("answer_rate", 0.5, null), restated("answer_rate", 0.25, 0.5)] },
      text: "2 figures of earlier reports changed.",
      silent: {},
    },
  ];

describe("sentencesOf", () => {
  it.each(CASES)("says $rule", ({ facts, text, silent }) => {
    expect(textsOf(facts)).toEqual([text]);
    expect(textsOf(silent)).toEqual([]);
  });

  it("says nothing if nothing changed, or figures are blank", () => {
    expect(textsOf({})).toEqual([]);
    // In a share-safe file.
    expect(textsOf({ total: { calls: null, calls_previous: null } })).toEqual([]);
  });

  it("returns only restatements while calls may be missing", () => {
    for (const { facts } of CASES.filter(({ facts }) => facts.restatements === undefined))
      expect(textsOf({ ...facts, statements: [DOUBT] })).toEqual([]);
    const facts = { statements: [DOUBT], restatements: [restated("calls", 1, 2)], total: { calls: 1 } };
    expect(textsOf(facts)).toEqual([
      "1 figure of earlier reports changed: calls of 12 Oct 2026, from 1 to 2.",
    ]);
  });

  it("says at most five, the most important first", () => {
    const everything: Partial<SentenceFacts> = {
      notices: [{ ...NOTICE, expected: 14.2 }],
      total: { calls: 300, calls_previous: 120, missed_calls: 200, missed_calls_previous: 20 },
      spend: { ...SPEND, silent: [silent(412)] },
      movers: { up: [moved("source", "bing", 10, 90)], down: [moved("source", "google", 120, 74)] },
      restatements: [restated("calls", 1, 2)],
      outcomes: { ...SOLD, total: sold(40, 12) },
    };
    expect(sentencesOf({ ...QUIET, ...everything }).map(({ id }) => id)).toEqual([
      "notice",
      "calls",
      "missed",
      "spend_without_calls",
      "fewer_calls",
    ]);
  });

  it("requires more of four figures of all calls than of a single comparison", () => {
    // A chance of 0.02: rare for one figure, not for one of four.
    expect(textsOf({ total: { calls: 86, calls_previous: 120 } })).toEqual([]);
  });
});

describe("saySentence", () => {
  it("keeps a name apart, on one line, and short", () => {
    const name = `<b>אבג\u202e\n${"x".repeat(200)}`;
    const [sentence] = sentencesOf({ ...QUIET, movers: { up: [], down: [moved("source", name, 120, 74)] } });
    if (sentence === undefined) throw new Error("Nothing was said");
    const shown = `<b>אבג\\u202e\\n${"x".repeat(35)}… #0c56604f`;
    expect([...shown]).toHaveLength(60);
    expect(saySentence(sentence)).toEqual(["Calls", " from ", { name: shown }, " fell from 120 to 74."]);
    expect(toSentenceText(sentence)).toBe(`Calls from ${shown} fell from 120 to 74.`);
    expect(sentence.values.name).toBe(name);
  });
});
