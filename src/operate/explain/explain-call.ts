import { eq, getTableColumns } from "drizzle-orm";
import { localTime } from "../../base/calendar/local-time.ts";
import { type Clock, systemClock } from "../../base/clock.ts";
import { UsageError } from "../../base/errors.ts";
import { explainAttribution } from "../../calls/attribution/attribute-call.ts";
import type { AttributionRules } from "../../calls/attribution/attribution-rules.ts";
import { DNI_FIELDS } from "../../calls/columns.ts";
import { listedFacts } from "../../calls/facts.ts";
import type { CallInMoment, CallNote } from "../../features/feature.ts";
import { FEATURES } from "../../features/list.ts";
import { RollupSession } from "../../sources/session.ts";
import { isTopicKept } from "../../warehouse/calls/call-guard.ts";
import { readFirstCall } from "../../warehouse/calls/caller-table.ts";
import { calls } from "../../warehouse/calls/calls.ts";
import { call_facts } from "../../warehouse/calls/facts.ts";
import { readUnsettled } from "../../warehouse/calls/first-load.ts";
import { followsRules, readRulesInForce } from "../../warehouse/calls/rules.ts";
import { transcripts } from "../../warehouse/calls/transcripts.ts";
import { readCommonName } from "../../warehouse/campaign-table.ts";
import { openReader } from "../../warehouse/file/open.ts";
import { type OwnWarehouse, openOwn } from "../../warehouse/file/own-warehouse.ts";
import type { Reader } from "../../warehouse/warehouse.ts";

interface CallToExplain {
  callId: number;
  /** Rules from the settings; the explanation uses those by which the facts were computed. */
  rules: AttributionRules;
  /** IANA zone of local times. */
  timezone: string;
  clock?: Clock;
}

export interface ExplainOptions extends OwnWarehouse, CallToExplain {}

export type ExplainedCall = NonNullable<Awaited<ReturnType<typeof explainCall>>>;

/** Why a call counts as it does. Null means no value, which files show as `(not set)`. */
export type Explanation = ExplainedCall["data"];

/** @param database path of the warehouse */
export function noCallError(callId: number, database: string): UsageError {
  return new UsageError(`There is no call ${callId} in ${database}`, {
    hint: "Run `calltally sync` if it is new; the API lists only calls with DNI data.",
  });
}

/** Explains a call by the function and the rules that computed its facts; undefined if there is no such call. */
export async function explainCall(options: ExplainOptions) {
  using reader = openOwn(options, openReader);
  using session = new RollupSession(reader.sqlite, { rules: () => readRulesInForce(reader).rules });
  return await explainAt({ reader, session }, options);
}

/** Explains a call at the moment of a session; undefined if there is no such call. */
export async function explainAt(
  { reader, session }: { reader: Reader; session: RollupSession },
  options: CallToExplain,
) {
  const { callId, timezone, clock = systemClock } = options;
  const isCurrent = followsRules(readRulesInForce(reader), options.rules);
  // The same topics and channels may be in other lines of the files today.
  const rules = isCurrent
    ? { ...session.rules, topics: options.rules.topics, channels: options.rules.channels }
    : session.rules;
  const { transcription, transcription_details } = transcripts;
  const call = reader.db
    .select({ ...getTableColumns(calls), transcription, transcription_details, topic: call_facts.topic })
    .from(calls)
    .leftJoin(call_facts, eq(call_facts.call_id, calls.call_id))
    .leftJoin(transcripts, eq(transcripts.call_id, calls.call_id))
    .where(eq(calls.call_id, callId))
    .get();
  if (call === undefined) return undefined;

  const keptTopic = isTopicKept(call) ? call.topic : undefined;
  const { facts, reasons: explained } = explainAttribution(call, rules, keptTopic);
  const { channel_rules, ...reasons } = explained;
  const { call_started } = facts;
  const local = call_started === null ? null : localTime(timezone)(call_started);
  const first = readFirstCall(reader, callId);
  const moment = { reader, session, callId, isGone: call.gone_at !== null, nowMs: clock.now() };
  const notes = await readNotes(moment);
  const notesData: CallNote["data"] = Object.assign({}, ...notes.map((note) => note.data));
  const data = {
    call_id: callId,
    call_started,
    /** Start in the requested time zone, `YYYY-MM-DD HH:MM:SS +01:00`. */
    local_time: local && `${local.local} ${local.offset}`,
    /** When it was marked as gone, and left every figure; null while it counts. */
    gone_at: call.gone_at,
    /** Since when it is older than any call that the service lists; null while it may be listed. It still counts. */
    unlisted_since: call.unlisted_since,
    /** As served. */
    dni: Object.fromEntries(DNI_FIELDS.map((field) => [field, call[field]])),
    ...reasons,
    ...listedFacts({ ...facts, is_first_call: first?.call_id === callId }),
    /** As in rollups. */
    campaign: readCommonName(reader, facts.campaign_id) ?? facts.campaign,
    channel_rules,
    disposition: call.disposition,
    duration: facts.duration,
    duration_unit: rules.duration_unit,
    qualified_seconds: rules.qualified_seconds,
    /** The first call of the same caller in the warehouse; null if the caller is unknown. */
    first_call: first ?? null,
    ...notesData,
    /** Present if the rules in the settings differ from those of the facts: the next sync or export applies them. */
    ...(!isCurrent && { rules_differ: true }),
    /** Present until the first load is complete: first calls are not known yet. */
    ...(readUnsettled(reader) > 0 && { is_first_load: true }),
  };
  return { data, notes };
}

async function readNotes(call: CallInMoment): Promise<CallNote[]> {
  const notes: CallNote[] = [];
  for (const { explainCall } of FEATURES) {
    if (explainCall !== undefined) notes.push(await explainCall(call));
  }
  return notes;
}
