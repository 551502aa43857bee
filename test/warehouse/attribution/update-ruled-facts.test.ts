import fc from "fast-check";
import { expect, it } from "vitest";
import { attributeCall } from "../../../src/attribution/attribute-call.ts";
import type { AttributionRules } from "../../../src/attribution/attribution-rules.ts";
import type { Call } from "../../../src/call/columns.ts";
import { beginFactLog } from "../../../src/features/restatements/logged-facts.ts";
import { fact_changes } from "../../../src/warehouse/calls/fact-log.ts";
import { draws, least } from "../../support/draws.ts";
import { arbitraryCalls, arbitraryNameRules, makeCall } from "../../support/warehouses/calls.ts";
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
  beginFactLog(warehouse);
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
