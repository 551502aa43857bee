import type { Database } from "better-sqlite3";
import { localTime } from "../calendar/local-time.ts";
import { DNI_FIELDS } from "../call.ts";
import { type Clock, systemClock } from "../clock.ts";
import { iterateSelected, selectCall } from "../rollup/calls.ts";
import { CHANNEL_RULES_VERSION } from "../rollup/channels.ts";
import { prepareRollups } from "../rollup/read.ts";
import {
  CAMPAIGN,
  CHANNEL,
  CHANNEL_RULES,
  IS_FIRST,
  IS_GOOGLE_CLICK,
  isQualified,
  MEDIUM,
  outcome,
  REFERRING_HOST,
  SOURCE,
  UTM_FIELDS,
  utmValue,
} from "../rollup/row.ts";
import { openWarehouseReader } from "../warehouse/open.ts";
import type { TallySettings } from "../warehouse/tally-settings.ts";
import { judgeSelectedCall, type Reason } from "./google.ts";
import type { Value } from "./table.ts";

export interface ExplainOptions {
  /** Path of the warehouse. */
  database: string;
  callId: number;
  tally: TallySettings;
  /** IANA zone of local times. */
  timezone: string;
  clock?: Clock;
}

/** Why a call is tallied where it is. Null stands for no value, which the files show as `(not set)`. */
export interface Explanation {
  call_id: number;
  call_started: string | null;
  /** The same in the zone asked for, `YYYY-MM-DD HH:MM:SS +01:00`. */
  local_time: string | null;
  /** When it was found to be gone from the service, and so is in no figure; null while it counts. */
  gone_at: string | null;
  /** As the service gave them. */
  dni: Record<string, string | null>;
  /** Utm values folded, and the keys they are tallied under: others where they have an alias. */
  utm: Record<string, { folded: string | null; tallied_as: string | null }>;
  is_google_click: boolean;
  source: string | null;
  medium: string | null;
  campaign: string | null;
  referring_host: string | null;
  channel: string;
  /** Version of the rules for channels, and each up to the one that holds. */
  channel_rules: { version: string; tried: { channel: string; holds: boolean }[] };
  disposition: string | null;
  outcome: string;
  duration: number | null;
  duration_unit: string;
  qualified_seconds: number;
  qualified: boolean;
  first_time_caller: boolean;
  /** The first call in the warehouse of the same caller; null where the caller is not known. */
  first_call: { call_id: number; call_started: string | null } | null;
  /** What speaks against an upload as a conversion; null where nothing does. */
  google_ads: Reason | "gone" | null;
  google_leads: Reason | "gone" | null;
}

/**
 * Explains one call, by the expressions that the figures are made with; undefined where there is no such call.
 *
 * @throws CalltallyError of the warehouse
 */
export function explainCall(options: ExplainOptions): Explanation | undefined {
  const { database, callId, tally, timezone, clock = systemClock } = options;
  const { rules } = tally;
  using reader = openWarehouseReader(database);
  const { sqlite } = reader;
  sqlite.exec("BEGIN");
  if (!selectCall(sqlite, callId)) return undefined;
  prepareRollups(sqlite, { aliases: tally.aliases, callerOf: callId });

  const fact = readFacts(sqlite, {
    ...Object.fromEntries(DNI_FIELDS.map((field) => [field, `c.${field}`])),
    ...Object.fromEntries(UTM_FIELDS.map((field) => [`${field}_key`, utmValue(field)])),
    ...Object.fromEntries(
      UTM_FIELDS.map((field) => [`${field}_folded`, `nullif(${field}_value.folded, '')`]),
    ),
    ...Object.fromEntries(CHANNEL_RULES.map(({ channel, sql }) => [channel, sql])),
    call_started: "c.call_started",
    gone_at: "c.gone_at",
    is_google_click: IS_GOOGLE_CLICK,
    source: SOURCE,
    medium: MEDIUM,
    campaign: CAMPAIGN,
    referring_host: REFERRING_HOST,
    channel: CHANNEL,
    disposition: "c.disposition",
    outcome: outcome(rules),
    duration: "c.duration",
    qualified: isQualified(rules),
    first_time_caller: IS_FIRST,
    first_call_id: firstCallOf("call_id"),
    first_call_started: firstCallOf("call_started"),
  });
  const text = (name: string) => (typeof fact[name] === "string" ? fact[name] : null);
  const started = text("call_started");
  const local = started === null ? null : localTime(timezone)(started);
  const holding = CHANNEL_RULES.findIndex(({ channel }) => fact[channel] === 1);
  const isGone = text("gone_at") !== null;
  const job = { reader, tally, nowMs: clock.now() };
  return {
    call_id: callId,
    call_started: started,
    local_time: local && `${local.local} ${local.offset}`,
    gone_at: text("gone_at"),
    dni: Object.fromEntries(DNI_FIELDS.map((field) => [field, text(field)])),
    utm: Object.fromEntries(
      UTM_FIELDS.map((field) => [
        field,
        { folded: text(`${field}_folded`), tallied_as: text(`${field}_key`) },
      ]),
    ),
    is_google_click: fact.is_google_click === 1,
    source: text("source"),
    medium: text("medium"),
    campaign: text("campaign"),
    referring_host: text("referring_host"),
    channel: text("channel") ?? "",
    channel_rules: {
      version: CHANNEL_RULES_VERSION,
      tried: CHANNEL_RULES.slice(0, holding < 0 ? undefined : holding + 1).map(({ channel }) => ({
        channel,
        holds: fact[channel] === 1,
      })),
    },
    disposition: text("disposition"),
    outcome: text("outcome") ?? "",
    duration: typeof fact.duration === "number" ? fact.duration : null,
    duration_unit: rules.duration_unit,
    qualified_seconds: rules.qualified_seconds,
    qualified: fact.qualified === 1,
    first_time_caller: fact.first_time_caller === 1,
    first_call:
      typeof fact.first_call_id === "number"
        ? { call_id: fact.first_call_id, call_started: text("first_call_started") }
        : null,
    google_ads: isGone ? "gone" : (judgeSelectedCall(job, "google-ads") ?? null),
    google_leads: isGone ? "gone" : (judgeSelectedCall(job, "google-leads") ?? null),
  };
}

/** A column of the first call of the same caller. */
function firstCallOf(column: string): string {
  return `(SELECT f.${column} FROM calls AS f
    WHERE f.caller_id = c.caller_id AND f.call_id IN (SELECT call_id FROM first_calls))`;
}

/** Reads what named expressions over `calls AS c` say of the selected call. */
function readFacts(
  database: Database,
  expressions: Record<string, string>,
): Record<string, Value | undefined> {
  const [row = []] = iterateSelected(database, Object.values(expressions));
  return Object.fromEntries(Object.keys(expressions).map((name, index) => [name, row[index]]));
}
