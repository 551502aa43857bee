import fc from "fast-check";
import { expect, it } from "vitest";
import { attributeCall } from "../../../src/calls/attribution/attribute-call.ts";
import { type AttributionRules, DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import type { Call } from "../../../src/calls/columns.ts";
import { fact_changes } from "../../../src/warehouse/calls/fact-log.ts";
import { draws, least } from "../../support/draws.ts";
import { arbitraryCalls, arbitraryNameRules, makeCall } from "../../support/warehouses/calls.ts";
import { logFacts } from "../../support/warehouses/log-facts.ts";
import {
  markGone,
  newWarehouse,
  readFacts,
  setRules,
  storeCalls,
} from "../../support/warehouses/warehouse.ts";

const line = { speaker: null, qualifies: null, value: null };
const rules: fc.Arbitrary<AttributionRules> = fc.record({
  answered: fc.subarray(["answered", "busy", "Übergeben"]),
  missed: fc.subarray(["no answer", "busy"]),
  qualified_seconds: fc.constantFrom(0, 60, 61),
  duration_unit: fc.constantFrom("seconds", "milliseconds"),
  aliases: fc.constantFrom<Record<string, string>>(
    {},
    { google: "bing", "(direct)": "direct" },
    { bing: "", "face book": "google", é: "e", "chatgpt.com": "gpt" },
  ),
  ...arbitraryNameRules,
  topics: fc.constantFrom<AttributionRules["topics"]>(
    [],
    [{ ...line, topic: "tap", phrase: "tap" }],
    [{ ...line, topic: "tap", phrase: "tap", qualifies: true }],
    [
      { ...line, topic: "hello", phrase: "hello", speaker: "caller", qualifies: false },
      { ...line, topic: "tap", phrase: "leaks" },
    ],
  ),
  hours: fc.constantFrom<AttributionRules["hours"]>(
    undefined,
    { week: "Mon-Fri 08:00-18:00", closed: [], timezone: "UTC" },
    { week: "Mon-Fri 08:00-18:00", closed: ["2026-01-01"], timezone: "UTC" },
    { week: "Thu-Sun 00:00-12:00", closed: [], timezone: "Asia/Tokyo" },
  ),
});
const said = {
  transcription: "My tap leaks.",
  transcription_details: '[{"channel":"caller","text":"hello"}]',
};
/** Few visits, each of several calls; some have no tags. */
const calls: fc.Arbitrary<Call[]> = fc
  .tuple(
    arbitraryCalls(5),
    fc.array(
      fc.record({
        visit: fc.nat(9),
        members: fc.record(
          {
            gclid: fc.constantFrom(null, "Cj1", "Cj2", " Cj1", "null", "(not set)", "x", ""),
            referring_url: fc.constantFrom(
              null,
              "https://a.example/?gclid=Cj1&gclsrc=3p.ds",
              "https://a.example/?gclsrc=3p.ds",
            ),
            gclsrc: fc.constantFrom(null, "3p.ds"),
            extra: fc.constantFrom(null, '{"gclid":"Cj1","gclsrc":"3p.ds"}'),
            duration: fc.constantFrom(null, -5, 0, 59, 60, 61, 60_000, 61_000),
            transcription: fc.constantFrom(null, said.transcription, "nothing"),
            transcription_details: fc.constantFrom(null, said.transcription_details),
          },
          { requiredKeys: [] },
        ),
      }),
      { minLength: 5, maxLength: 40 },
    ),
  )
  .map(([visits, more]) =>
    more.map(({ visit, members }, id) => makeCall({ ...visits[visit], ...members, call_id: id * 7 })),
  );

/** Returns the facts and the logged changes after a change of rules, for calls of which some lost their transcripts. */
function change(stored: readonly Call[], before: AttributionRules, after: AttributionRules, spoil = "") {
  using warehouse = newWarehouse();
  setRules(warehouse, before);
  storeCalls(warehouse, stored);
  markGone(warehouse, [7, 21]);
  warehouse.sqlite.exec(`UPDATE calls SET withheld = 'transcripts' WHERE call_id % 3 = 0;
    DELETE FROM transcripts WHERE call_id % 3 = 0`);
  logFacts(warehouse);
  const topics = readFacts(warehouse).facts.map(({ call_id, topic }) => [call_id, topic] as const);
  warehouse.sqlite.exec(spoil);
  setRules(warehouse, after);
  const changes = warehouse.db.select().from(fact_changes).orderBy(fact_changes.change_id).all();
  return {
    topics: new Map(topics),
    facts: readFacts(warehouse).facts,
    changes: changes.map(({ changed_at: _, ...row }) => row),
    callers: warehouse.sqlite.prepare("SELECT * FROM callers ORDER BY caller").all(),
  };
}

/** One rule and its values, calls by what they have, and the calls whose fact another value changes: before and after. */
const CHANGES: readonly {
  rule: string;
  before: Partial<AttributionRules>;
  after: Partial<AttributionRules>;
  calls: readonly Partial<Call>[];
  fact: string;
  is: readonly (readonly [before: unknown, after: unknown])[];
}[] = [
  ...[
    [60, 120],
    [0, 60],
    [45, 46],
  ].map(([low = 0, high = 0]) => ({
    rule: "qualified_seconds",
    before: { qualified_seconds: low },
    after: { qualified_seconds: high },
    calls: [low - 1, low, high - 1, high].map((duration) => ({ disposition: "ANSWERED", duration })),
    fact: "is_qualified",
    is: [
      [false, false],
      [true, false],
      [true, false],
      [true, true],
    ] as const,
  })),
  {
    rule: "duration_unit",
    before: { duration_unit: "seconds" },
    after: { duration_unit: "milliseconds" },
    calls: [59, 60, 59_999, 60_000].map((duration) => ({ disposition: "ANSWERED", duration })),
    fact: "is_qualified",
    is: [
      [false, false],
      [true, false],
      [true, false],
      [true, true],
    ],
  },
  {
    rule: "answered",
    before: { answered: ["answered", "busy"], missed: [] },
    after: { answered: ["answered"], missed: [] },
    calls: ["Answered", "BUSY", "failed"].map((disposition) => ({ disposition })),
    fact: "outcome",
    is: [
      ["answered", "answered"],
      ["answered", "other"],
      ["other", "other"],
    ],
  },
  {
    rule: "missed",
    before: { missed: ["busy"] },
    after: { missed: ["no answer"] },
    calls: ["Busy", "No-Answer", "failed"].map((disposition) => ({ disposition })),
    fact: "outcome",
    is: [
      ["missed", "other"],
      ["other", "missed"],
      ["other", "other"],
    ],
  },
  {
    rule: "aliases",
    before: { aliases: { bing: "msn" } },
    after: { aliases: { google: "alphabet" } },
    calls: ["Bing", "Google", "yelp"].map((utm_source) => ({ utm_source })),
    fact: "source",
    is: [
      ["msn", "bing"],
      ["google", "alphabet"],
      ["yelp", "yelp"],
    ],
  },
  ...(
    [
      ["source", "utm_source", "source"],
      ["medium", "utm_medium", "medium"],
      ["campaign", "utm_campaign", "campaign"],
    ] as const
  ).map(([field, member, fact]) => ({
    rule: `aliases_of ${field}`,
    before: { aliases_of: { [field]: { one: "uno" } } },
    after: { aliases_of: { [field]: { two: "due" } } },
    calls: ["one", "two", "three"].map((value) => ({ [member]: value })),
    fact,
    is: [
      ["uno", "one"],
      ["two", "due"],
      ["three", "three"],
    ] as const,
  })),
  {
    rule: "channels",
    before: { channels: [{ channel: "Own", source: "o*", medium: "", campaign: "", referrer: "" }] },
    after: { channels: [{ channel: "Own", source: "p*", medium: "", campaign: "", referrer: "" }] },
    calls: ["one", "plus", "google"].map((utm_source) => ({ utm_source, utm_medium: "cpc" })),
    fact: "channel",
    is: [
      ["Own", "Paid Other"],
      ["Paid Other", "Own"],
      ["Paid Search", "Paid Search"],
    ],
  },
  {
    rule: "topics",
    before: { topics: [{ ...line, topic: "tap", phrase: "tap" }] },
    after: { topics: [{ ...line, topic: "pipe", phrase: "pipe" }] },
    calls: ["a tap", "a pipe", "a sink"].map((transcription) => ({ transcription })),
    fact: "topic",
    is: [
      ["tap", null],
      [null, "pipe"],
      [null, null],
    ],
  },
  {
    rule: "whether a topic qualifies",
    before: { topics: [{ ...line, topic: "tap", phrase: "tap", qualifies: true }] },
    after: { topics: [{ ...line, topic: "tap", phrase: "tap", qualifies: false }] },
    calls: [
      { transcription: "a tap", duration: 59 },
      { transcription: "a tap", duration: 61 },
      { transcription: "a sink", duration: 61 },
    ].map((each) => ({ disposition: "answered", ...each })),
    fact: "is_qualified",
    is: [
      [true, false],
      [true, false],
      [true, true],
    ],
  },
  {
    rule: "hours",
    before: { hours: { week: "Mon-Fri 08:00-18:00", closed: [], timezone: "Pacific/Honolulu" } },
    after: { hours: { week: "Mon-Fri 08:00-18:00", closed: [], timezone: "Europe/Berlin" } },
    // Thursday, 06:59, 07:00, 18:00 and 23:30 UTC.
    calls: ["06:59", "07:00", "18:00", "23:30"].map((time) => ({
      call_started: `2026-11-19T${time}:00.000Z`,
    })),
    fact: "in_hours",
    is: [
      ["no", "no"],
      ["no", "yes"],
      ["yes", "no"],
      ["yes", "no"],
    ],
  },
];

it.each(CHANGES)(
  "a change of $rule alone changes the facts between its values",
  ({ before, after, calls, fact, is }) => {
    const stored = calls.map((call, index) => makeCall({ ...call, call_id: index + 1 }));
    const [one, other] = [
      { ...DEFAULT_RULES, ...before },
      { ...DEFAULT_RULES, ...after },
    ];
    for (const [from, to, place] of [
      [one, other, 1],
      [other, one, 0],
    ] as const) {
      using warehouse = newWarehouse();
      setRules(warehouse, from);
      storeCalls(warehouse, stored);
      const read = () => readFacts(warehouse).facts.map((facts) => new Map(Object.entries(facts)).get(fact));
      expect(read()).toEqual(is.map((pair) => pair[place === 0 ? 1 : 0]));
      setRules(warehouse, to);
      expect(read()).toEqual(is.map((pair) => pair[place]));
    }
  },
);

it("a change of rules writes the same facts and logs the same changes as attributing each call again", () => {
  const seen = { changed: 0, same: 0 };
  fc.assert(
    fc.property(calls, rules, rules, (stored, before, after) => {
      const { topics, ...changed } = change(stored, before, after);
      // The facts of another version of the program are all written again.
      const { topics: _, ...rewritten } = change(
        stored,
        before,
        after,
        "UPDATE rules SET version = version - 1",
      );
      expect(changed).toEqual(rewritten);
      const kept = (id: number) => (id % 3 === 0 ? topics.get(id) : undefined);
      const members = new Map(stored.map((call) => [call.call_id, call]));
      for (const { is_live: _, is_first_call: __, ...facts } of changed.facts) {
        const call = members.get(facts.call_id);
        if (call === undefined) throw new Error(`There is no call ${facts.call_id}`);
        const { call_id } = call;
        expect(facts).toEqual({ ...attributeCall(call, after, kept(call_id)), call_id });
      }
      seen.changed += changed.changes.length;
      seen.same += stored.length - changed.changes.length;
    }),
    { numRuns: draws(100) },
  );
  expect(seen.changed).toBeGreaterThan(least(200));
  expect(seen.same).toBeGreaterThan(least(200));
});
