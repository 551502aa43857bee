import { count, eq, sql } from "drizzle-orm";
import type { AttributionRules } from "../../calls/attribution/attribution-rules.ts";
import { toChannelValues } from "../../calls/attribution/call-traits.ts";
import { compileChannels } from "../../calls/attribution/own-channels.ts";
import { lineOf } from "../../calls/attribution/topics.ts";
import { call_facts } from "../../warehouse/calls/facts.ts";
import { followsRules, readRulesInForce } from "../../warehouse/calls/rules.ts";
import type { Reader } from "../../warehouse/warehouse.ts";

/** Calls whose channel depends on the same values. */
interface Visits {
  source: string | null;
  medium: string | null;
  utm_campaign_folded: string | null;
  campaign: string | null;
  referring_host: string | null;
  channel: string;
  calls: number;
  qualified_calls: number;
}

/** The figures of a channel in force, and by the lines to try. */
interface ChannelChange {
  channel: string;
  calls: number;
  calls_then: number;
  qualified_calls: number;
  qualified_calls_then: number;
}

export type ChannelFigures = ReturnType<typeof readChannelFigures>;

/**
 * Counts the calls that each line decides, by the channels in force, or those to try.
 * @param options.own the rules in the settings: if they are in force, its lines are those of the file today
 */
export function readChannelFigures(
  reader: Reader,
  { rules, tried }: { rules: AttributionRules; tried?: AttributionRules["channels"] | undefined },
) {
  const inForce = readRulesInForce(reader);
  const lines = tried ?? (followsRules(inForce, rules) ? rules : inForce.rules).channels;
  const { lineOf: decidingLine, channelOf } = compileChannels(lines);
  const counts = lines.map(() => 0);
  const changes = new Map<string, ChannelChange>();
  const changeOf = (channel: string) => {
    const change = changes.get(channel) ?? {
      ...{ channel, calls: 0, calls_then: 0, qualified_calls: 0, qualified_calls_then: 0 },
    };
    changes.set(channel, change);
    return change;
  };
  let moved = 0;
  for (const visits of readVisits(reader)) {
    const values = toChannelValues(visits);
    const index = decidingLine(values);
    if (index !== -1) counts[index] = (counts[index] ?? 0) + visits.calls;
    const [now, then] = [changeOf(visits.channel), changeOf(channelOf(values))];
    if (now !== then) moved += visits.calls;
    now.calls += visits.calls;
    now.qualified_calls += visits.qualified_calls;
    then.calls_then += visits.calls;
    then.qualified_calls_then += visits.qualified_calls;
  }
  return {
    /** As in the file. */
    lines: lines.map((line, index) => ({ ...line, line: lineOf(line, index), calls: counts[index] ?? 0 })),
    ...(tried && {
      /** Calls that would get another channel. */
      calls_moved: moved,
      channels: [...changes.values()].sort((a, b) => b.calls - a.calls || b.calls_then - a.calls_then),
    }),
  };
}

function readVisits({ db }: Reader): Visits[] {
  const { source, medium, utm_campaign_folded, campaign, referring_host, channel } = call_facts;
  return db
    .select({
      ...{ source, medium, utm_campaign_folded, campaign, referring_host, channel },
      calls: count(),
      qualified_calls: sql<number>`sum(${call_facts.is_qualified})`,
    })
    .from(call_facts)
    .where(eq(call_facts.is_live, true))
    .groupBy(source, medium, utm_campaign_folded, campaign, referring_host, channel)
    .all();
}
