import { eq } from "drizzle-orm";
import { UsageError } from "../../base/errors.ts";
import { paced } from "../../base/paced.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import type { AttributionRules } from "../../calls/attribution/attribution-rules.ts";
import { toCaseless } from "../../calls/attribution/call-text.ts";
import { compileRules } from "../../calls/attribution/compiled-rules.ts";
import { isQualified } from "../../calls/attribution/derive-facts.ts";
import { lineOf, type Transcript } from "../../calls/attribution/topics.ts";
import type { Outcome } from "../../calls/facts.ts";
import { isTopicKept } from "../../warehouse/calls/call-guard.ts";
import { call_facts } from "../../warehouse/calls/facts.ts";
import { followsRules, readRulesInForce } from "../../warehouse/calls/rules.ts";
import type { Reader } from "../../warehouse/warehouse.ts";

type StoredCall = Transcript & {
  source: string | null;
  topic: string | null;
  outcome: Outcome;
  duration: number | null;
  is_qualified: 0 | 1;
  caller_id: string | null;
  withheld: string | null;
};

/** What other topics would change of the calls of a source. */
interface SourceChange {
  source: string | null;
  calls: number;
  /** Calls that would get another topic, or none. */
  other_topic: number;
  qualified_calls: number;
  qualified_calls_then: number;
}

export type TopicFigures = Awaited<ReturnType<typeof readTopicFigures>>;

/**
 * Counts the calls that each line decides, by the topics in force, or those to try. Reads the transcripts of all calls.
 * @param options.rules the rules in the settings: if they are in force, its lines are those of the file today
 */
export async function readTopicFigures(
  reader: Reader,
  {
    rules,
    tried,
    signal,
  }: {
    rules: AttributionRules;
    tried?: AttributionRules["topics"] | undefined;
    signal?: AbortSignal | undefined;
  },
) {
  const inForce = readRulesInForce(reader);
  const { topics } = followsRules(inForce, rules) ? rules : inForce.rules;
  const triedRules = { ...inForce.rules, topics: tried ?? topics };
  const { findTopic } = compileRules(triedRules);
  const counts = triedRules.topics.map(() => 0);
  const sources = new Map<string | null, SourceChange>();
  let keptCalls = 0;
  for await (const call of paced(readCalls(reader), signal)) {
    const isKept = isTopicKept(call);
    const match = isKept ? undefined : findTopic(call);
    if (match !== undefined) counts[match.line] = (counts[match.line] ?? 0) + 1;
    if (isKept) keptCalls++;
    const topic = isKept ? call.topic : ((match && triedRules.topics[match.line]?.topic) ?? null);
    const { source, outcome, duration } = call;
    const change = sources.get(source) ?? {
      ...{ source, calls: 0, other_topic: 0, qualified_calls: 0, qualified_calls_then: 0 },
    };
    sources.set(source, change);
    change.calls++;
    if (topic !== call.topic) change.other_topic++;
    change.qualified_calls += call.is_qualified;
    change.qualified_calls_then += Number(isQualified({ topic, outcome, duration }, triedRules));
  }
  return {
    /** As in the file. */
    lines: triedRules.topics.map((line, index) => {
      const { topic, phrase, speaker } = line;
      return { line: lineOf(line, index), topic, phrase, speaker, calls: counts[index] ?? 0 };
    }),
    /** Calls whose transcript was removed: no line is looked for, and their topic stays. */
    calls_kept: keptCalls,
    ...(tried && { sources: [...sources.values()].sort((a, b) => b.calls - a.calls) }),
  };
}

function readCalls({ sqlite }: Reader): Iterable<StoredCall> {
  return sqlite
    .prepare<[], StoredCall>(
      `SELECT f.source, f.topic, f.outcome, f.duration, f.is_qualified, c.caller_id, c.withheld,
  t.transcription, t.transcription_details
FROM call_facts AS f JOIN calls AS c ON c.call_id = f.call_id LEFT JOIN transcripts AS t ON t.call_id = f.call_id
WHERE f.is_live`,
    )
    .iterate();
}

/** Returns the ids of a topic's calls, in any case of its name. @throws UsageError for a topic that neither calls nor lines have */
export function readCallsOfTopic(reader: Reader, topic: string): number[] {
  const { db, sqlite } = reader;
  const having = db
    .selectDistinct({ topic: call_facts.topic })
    .from(call_facts)
    .where(eq(call_facts.is_live, true))
    .all()
    .flatMap(({ topic }) => topic ?? []);
  const { rules } = readRulesInForce(reader);
  const known = [...new Set([...having, ...rules.topics.map((line) => line.topic)])];
  const meant = known.filter((name) => toCaseless(name) === toCaseless(topic));
  if (meant.length === 0)
    throw new UsageError(`There is no topic ${topic}`, {
      hint: didYouMean(topic, known) ?? "calltally topics lists the lines of all topics.",
    });
  return sqlite
    .prepare<[string], number>(
      "SELECT call_id FROM call_facts WHERE is_live AND topic IN (SELECT value FROM json_each(?)) ORDER BY call_id",
    )
    .pluck()
    .all(JSON.stringify(meant));
}
