import { eq, sql } from "drizzle-orm";
import { z } from "zod";
import { recordOf } from "../../base/records.ts";
import { attributeByRules } from "../../calls/attribution/attribute-call.ts";
import type { AttributionRules } from "../../calls/attribution/attribution-rules.ts";
import { RULED_MEMBERS, type RuledMembers } from "../../calls/attribution/call-traits.ts";
import { compileRules } from "../../calls/attribution/compiled-rules.ts";
import { deriveTopic } from "../../calls/attribution/derive-facts.ts";
import { remember } from "../../calls/attribution/remember.ts";
import type { Transcript } from "../../calls/attribution/topics.ts";
import type { Call } from "../../calls/columns.ts";
import { RULED_FACTS } from "../../calls/facts.ts";
import { isTopicKept } from "../calls/call-guard.ts";
import { BATCH_ROWS, inBatches } from "../calls/each-call.ts";
import { call_facts, toStored } from "../calls/facts.ts";
import { readMoment, type Tx } from "../transaction.ts";

/** Bounds memory; not a rule. */
const LONGEST_VISIT = 1000;

/**
 * Two members are read so that more calls share a visit: of a duration, which thresholds it reaches; of a Google click id,
 * that there is one, unless another member may name a click, too.
 */
const AS_VISITED: Partial<Record<keyof RuledMembers, string>> = {
  duration: "CASE WHEN calls.duration >= @most THEN @most WHEN calls.duration >= @least THEN @least END",
  gclid: `CASE WHEN calls.gclid = call_facts.gclid AND extra IS NULL AND instr(coalesce(referring_url, ''), '=') = 0
    THEN 'x' ELSE calls.gclid END`,
};
const RULED_TEXTS = RULED_MEMBERS.filter((name) => name !== "duration");
const VISIT = ["duration" as const, ...RULED_TEXTS].map((name) => AS_VISITED[name] ?? `calls.${name}`);

const text = z.string().nullable();
/** A {@link Row.visit}, and the topic now if that is another. */
const visitSchema = z.tuple([z.tuple([text, z.number().nullable()], text), text.optional()]);

interface Row extends Transcript, Pick<Call, "call_id" | "caller_id" | "call_started"> {
  withheld: string | null;
  topic: string | null;
  /** JSON of the topic, the duration, and {@link RULED_TEXTS}. */
  visit: string;
  in_hours: string | null;
}

/**
 * Changes facts from some rules to others: attributes calls of the same visit once, and writes only what changes. Yields the
 * number of calls of each batch.
 * @param before the rules that all facts follow
 */
export function* updateRuledFacts(
  tx: Tx,
  before: AttributionRules,
  rules: AttributionRules,
): Generator<number, void, void> {
  const areTopicsSame = phrasesOf(before) === phrasesOf(rules);
  // SQLite leaves out a join whose columns are not selected.
  const transcript =
    areTopicsSame || rules.topics.length === 0
      ? "NULL AS transcription, NULL AS transcription_details"
      : "transcription, transcription_details";
  const read = tx.sqlite.prepare<[{ last: number; least: number; most: number }], Row>(
    `SELECT call_id, calls.caller_id, call_facts.call_started, in_hours, withheld, topic, json_array(topic, ${VISIT}) AS visit, ${transcript}
      FROM calls JOIN call_facts USING (call_id) LEFT JOIN transcripts USING (call_id)
      WHERE call_id > @last ORDER BY call_id LIMIT ${BATCH_ROWS}`,
  );
  const changed_ms = readMoment(tx);
  const { inHours } = compileRules(rules);
  const thresholds = [before, rules].map((either) => compileRules(either).qualifiedDuration);
  const range = { least: Math.min(...thresholds), most: Math.max(...thresholds) };
  const changeOf = remember((key) => {
    const [[topicBefore, duration, ...texts], topic = topicBefore] = visitSchema.parse(
      JSON.parse(`[${key}]`),
    );
    const members = {
      ...recordOf(RULED_TEXTS, (name) => texts[RULED_TEXTS.indexOf(name)] ?? null),
      duration,
    };
    const facts = attributeByRules(members, rules, topic);
    const stored = attributeByRules(members, before, topicBefore);
    return {
      isOther: RULED_FACTS.some((name) => facts[name] !== stored[name]),
      facts: recordOf(RULED_FACTS, (name) => toStored(facts[name])),
    };
  }, LONGEST_VISIT);
  const update = tx.db
    .update(call_facts)
    .set(recordOf([...RULED_FACTS, "in_hours", "changed_ms"], (name) => sql`${sql.placeholder(name)}`))
    .where(eq(call_facts.call_id, sql.placeholder("call_id")))
    .prepare();
  for (const batch of inBatches((last) => read.all({ last, ...range }))) {
    for (const row of batch) {
      const topic = areTopicsSame || isTopicKept(row) ? row.topic : deriveTopic(row, rules);
      const { isOther, facts } = changeOf(
        topic === row.topic ? row.visit : `${row.visit},${JSON.stringify(topic)}`,
      );
      // Calls of one visit came at different times.
      const in_hours = inHours(row.call_started);
      if (isOther || in_hours !== row.in_hours)
        update.run({ ...facts, in_hours, changed_ms, call_id: row.call_id });
    }
    yield batch.length;
  }
}

/** Returns what decides the topic of a transcript. */
function phrasesOf({ topics }: AttributionRules): string {
  return JSON.stringify(topics.map(({ topic, phrase, speaker }) => [topic, phrase, speaker]));
}
