import { eq } from "drizzle-orm";
import { UTM_FIELDS } from "../attribution/attribute-call.ts";
import type { AttributionRules } from "../attribution/attribution-rules.ts";
import { type AttributionReasons, explainAttribution } from "../attribution/explain-attribution.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { localTime } from "../calendar/local-time.ts";
import { DNI_FIELDS } from "../call.ts";
import { RollupSession } from "../rollup/session.ts";
import { callers } from "../warehouse/calls/callers.ts";
import { calls } from "../warehouse/calls/calls.ts";
import { call_facts } from "../warehouse/calls/facts.ts";
import { readUnsettled } from "../warehouse/calls/first-load.ts";
import { isInForce, readRulesInForce } from "../warehouse/calls/rules.ts";
import { openWarehouseReader } from "../warehouse/open.ts";
import { type OwnWarehouse, openOwn } from "../warehouse/own-warehouse.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { explainConversions } from "./explain-conversions.ts";

export interface ExplainOptions extends OwnWarehouse {
  callId: number;
  /** Rules from the settings; the explanation uses the rules by which the facts were computed. */
  rules: AttributionRules;
  /** IANA zone of local times. */
  timezone: string;
  clock?: Clock;
}

/** Why a call counts as it does. Null stands for no value, which the files show as `(not set)`. */
export interface Explanation extends ReturnType<typeof explainConversions> {
  call_id: number;
  call_started: string | null;
  /** Start of the call in the requested time zone, `YYYY-MM-DD HH:MM:SS +01:00`. */
  local_time: string | null;
  /** When it was found to be gone from the service, and so left every figure; null while it counts. */
  gone_at: string | null;
  /** Since when it is older than any call that the service lists; null while it may be listed. It still counts. */
  unlisted_since: string | null;
  /** As the service returned them. */
  dni: Record<string, string | null>;
  /** Utm values folded, and the keys under which they are counted, which differ if they have an alias. */
  utm: Record<string, { folded: string | null; tallied_as: string | null }>;
  is_google_click: boolean;
  /** What source and medium were taken from: `utm`, `click id`, `campaign`, `referrer` or `none`. */
  source_rule: string;
  /** The kind of the referring host in Google's list of sources: `search`, `shopping`, `social` or `video`. */
  referrer_kind: string | null;
  source: string | null;
  medium: string | null;
  campaign: string | null;
  referring_host: string | null;
  channel: string;
  /** Version of the channel rules, and each rule up to the one that holds. */
  channel_rules: { version: string; tried: { channel: string; holds: boolean }[] };
  disposition: string | null;
  outcome: string;
  duration: number | null;
  duration_unit: string;
  qualified_seconds: number;
  qualified: boolean;
  first_time_caller: boolean;
  /** The first call of the same caller in the warehouse; null if the caller is unknown. */
  first_call: { call_id: number; call_started: string | null } | null;
  /** Present if the rules in the settings differ from those by which the facts were computed: the next sync or export applies them. */
  rules_differ?: true;
  /** Present until the first load is complete: the first call of a caller is not known yet. */
  is_first_load?: true;
}

/**
 * Explains one call, by the function and the rules that made its facts; undefined if there is no such call.
 *
 * @throws CalltallyError if the warehouse cannot be read
 */
export function explainCall(options: ExplainOptions): Explanation | undefined {
  const { callId, timezone, clock = systemClock } = options;
  using reader = openOwn(options, openWarehouseReader);
  using session = new RollupSession(reader.sqlite, { rules: () => readRulesInForce(reader).rules });
  const { rules } = session;
  const call = reader.db.select().from(calls).where(eq(calls.call_id, callId)).get();
  if (call === undefined) return undefined;

  const { facts, reasons } = explainAttribution(call, rules);
  const { gone_at, unlisted_since } = call;
  const { call_started } = facts;
  const local = call_started === null ? null : localTime(timezone)(call_started);
  const first = readFirstCall(reader, callId);
  return {
    call_id: callId,
    call_started,
    local_time: local && `${local.local} ${local.offset}`,
    gone_at,
    unlisted_since,
    dni: Object.fromEntries(DNI_FIELDS.map((field) => [field, call[field]])),
    utm: toUtm(reasons),
    is_google_click: reasons.is_google_click,
    source_rule: reasons.source_rule,
    referrer_kind: reasons.referrer_kind,
    source: facts.source,
    medium: facts.medium,
    campaign: facts.campaign,
    referring_host: facts.referring_host,
    channel: facts.channel,
    channel_rules: reasons.channel_rules,
    disposition: call.disposition,
    outcome: facts.outcome,
    duration: facts.duration,
    duration_unit: rules.duration_unit,
    qualified_seconds: rules.qualified_seconds,
    qualified: facts.is_qualified,
    first_time_caller: first?.call_id === callId,
    first_call: first ?? null,
    ...explainConversions(reader, session, call, clock.now()),
    ...(!isInForce(readRulesInForce(reader), options.rules) && { rules_differ: true }),
    ...(readUnsettled(reader) > 0 && { is_first_load: true }),
  };
}

function toUtm({ utm }: AttributionReasons): Explanation["utm"] {
  return Object.fromEntries(
    UTM_FIELDS.map((field) => [field, { folded: utm[field].folded, tallied_as: utm[field].counted_as }]),
  );
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
