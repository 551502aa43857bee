import { eq } from "drizzle-orm";
import { UTM_FIELDS } from "../attribution/attribute-call.ts";
import type { AttributionRules } from "../attribution/attribution-rules.ts";
import { explainAttribution } from "../attribution/explain-attribution.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { localTime } from "../calendar/local-time.ts";
import { DNI_FIELDS } from "../call.ts";
import type { Reason } from "../conversions/conversion-kinds.ts";
import { judgeCall } from "../conversions/conversions.ts";
import { readUploadsOfCall } from "../conversions/upload-table.ts";
import type { ConversionKind } from "../request/option-values.ts";
import { RollupSession } from "../rollup/session.ts";
import { callers } from "../warehouse/calls/callers.ts";
import { calls } from "../warehouse/calls/calls.ts";
import { call_facts } from "../warehouse/calls/facts.ts";
import { readUnsettled } from "../warehouse/calls/first-load.ts";
import { isInForce, readRulesInForce } from "../warehouse/calls/rules.ts";
import { openWarehouseReader } from "../warehouse/open.ts";
import { type OwnWarehouse, openOwn } from "../warehouse/own-warehouse.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

export interface ExplainOptions extends OwnWarehouse {
  callId: number;
  /** Rules from the settings; the explanation uses the rules by which the facts were computed. */
  rules: AttributionRules;
  /** IANA zone of local times. */
  timezone: string;
  clock?: Clock;
}

/** Why a call counts as it does. Null stands for no value, which the files show as `(not set)`. */
export type Explanation = NonNullable<ReturnType<typeof explainCall>>;

/**
 * Explains one call, by the function and the rules that made its facts; undefined if there is no such call.
 *
 * @throws CalltallyError if the warehouse cannot be read
 */
export function explainCall(options: ExplainOptions) {
  const { callId, timezone, clock = systemClock } = options;
  using reader = openOwn(options, openWarehouseReader);
  using session = new RollupSession(reader.sqlite, { rules: () => readRulesInForce(reader).rules });
  const { rules } = session;
  const call = reader.db.select().from(calls).where(eq(calls.call_id, callId)).get();
  if (call === undefined) return undefined;

  const { facts, reasons } = explainAttribution(call, rules);
  const { call_started, source, medium, campaign, referring_host, channel, outcome, duration } = facts;
  const local = call_started === null ? null : localTime(timezone)(call_started);
  const first = readFirstCall(reader, callId);
  const nowMs = clock.now();
  /** Why it is not uploaded as a conversion; null if it is. */
  const judge = (target: ConversionKind): Reason | "gone" | null =>
    call.gone_at === null ? (judgeCall(session, callId, target, nowMs) ?? null) : "gone";
  return {
    call_id: callId,
    call_started,
    /** Start of the call in the requested time zone, `YYYY-MM-DD HH:MM:SS +01:00`. */
    local_time: local && `${local.local} ${local.offset}`,
    /** When it was found to be gone from the service, and so left every figure; null while it counts. */
    gone_at: call.gone_at,
    /** Since when it is older than any call that the service lists; null while it may be listed. It still counts. */
    unlisted_since: call.unlisted_since,
    /** As the service returned them. */
    dni: mapFields(DNI_FIELDS, (field) => call[field]),
    /** Utm values folded, and the keys under which they are counted, which differ if they have an alias. */
    utm: mapFields(UTM_FIELDS, (field) => ({
      folded: reasons.utm[field].folded,
      tallied_as: reasons.utm[field].counted_as,
    })),
    is_google_click: reasons.is_google_click,
    /** What source and medium were taken from: `utm`, `click id`, `campaign`, `referrer` or `none`. */
    source_rule: reasons.source_rule,
    /** The kind of the referring host in Google's list of sources: `search`, `shopping`, `social` or `video`. */
    referrer_kind: reasons.referrer_kind,
    source,
    medium,
    campaign,
    referring_host,
    channel,
    /** Version of the channel rules, and each rule up to the one that holds. */
    channel_rules: reasons.channel_rules,
    disposition: call.disposition,
    outcome,
    duration,
    duration_unit: rules.duration_unit,
    qualified_seconds: rules.qualified_seconds,
    qualified: facts.is_qualified,
    first_time_caller: first?.call_id === callId,
    /** The first call of the same caller in the warehouse; null if the caller is unknown. */
    first_call: first ?? null,
    google_ads: judge("google-ads"),
    google_leads: judge("google-leads"),
    microsoft_ads: judge("microsoft-ads"),
    ga4_events: judge("ga4-events"),
    /** The files that it was in, and how later ones adjusted it. */
    uploads: readUploadsOfCall(reader, callId),
    /** Present if the rules in the settings differ from those by which the facts were computed: the next sync or export applies them. */
    ...(!isInForce(readRulesInForce(reader), options.rules) && { rules_differ: true }),
    /** Present until the first load is complete: the first call of a caller is not known yet. */
    ...(readUnsettled(reader) > 0 && { is_first_load: true }),
  };
}

function mapFields<Field extends string, Value>(fields: readonly Field[], toValue: (field: Field) => Value) {
  return Object.fromEntries(fields.map((field) => [field, toValue(field)]));
}

/** Returns the first live call of the same caller. */
function readFirstCall({ db }: Warehouse, callId: number) {
  const { caller } =
    db.select({ caller: call_facts.caller }).from(call_facts).where(eq(call_facts.call_id, callId)).get() ??
    {};
  if (caller == null) return undefined;
  return db
    .select({ call_id: call_facts.call_id, call_started: call_facts.call_started })
    .from(callers)
    .innerJoin(call_facts, eq(call_facts.call_id, callers.first_call_id))
    .where(eq(callers.caller, caller))
    .get();
}
