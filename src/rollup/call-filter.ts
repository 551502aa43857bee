import type { FactColumn } from "../attribution/attribute-call.ts";
import type { AttributionRules } from "../attribution/attribution-rules.ts";
import { foldUtm, toComparableDisposition, toPhoneDigits } from "../attribution/call-text.ts";
import { CHANNELS } from "../attribution/channel-rules.ts";
import { toDuration } from "../attribution/compiled-rules.ts";
import { NOT_SET } from "./dimensions.ts";

/** A stretch of time, ISO 8601 UTC with milliseconds; open where an end is missing. */
export interface Span {
  startsAt?: string;
  /** Not part of it. */
  endsAt?: string;
}

/**
 * Which calls count; of a list, one that fits is enough, and case does not matter. `(not set)` stands for calls without a
 * value.
 */
export interface CallFilter {
  /** Names or ids of org units. */
  org_unit?: readonly string[];
  channel?: readonly string[];
  /** As the dimension `source` has them. */
  source?: readonly string[];
  /** Names or ids of campaigns, as the dimension `campaign` has them. */
  campaign?: readonly string[];
  /** `-` and `_` do not matter. */
  disposition?: readonly string[];
  min_duration_seconds?: number;
  /** Callers' first calls in the warehouse alone. */
  first_time?: true;
  has_gclid?: true;
  /** Digits and `+`; other signs do not matter. */
  tracking_number?: readonly string[];
  /** Phone numbers whose calls are left out, such as one's own test calls. */
  exclude_callers?: readonly string[];
  /** Counts calls that the service does not show any more. */
  include_gone?: true;
}

/** What must hold of the facts of a call; an engine says it in its own language. */
export type Condition =
  | { fact: FactColumn; isOneOf: readonly (string | number | null)[] }
  | { fact: FactColumn; isNoneOf: readonly string[] }
  | { fact: "duration"; isAtLeast: number }
  | { fact: "is_live" | "is_first_call"; holds: true }
  | { fact: "gclid"; isPresent: true }
  | { any: readonly Condition[] };

/** Whether a text in a filter is meant as a value. */
export function isSet(text: string): boolean {
  return text.trim().toLowerCase() !== NOT_SET;
}

/** Reads the different values of a fact. */
type ReadValues = (fact: FactColumn) => readonly (string | null)[];

/** Returns the conditions of a filter; texts are compared here, with the values that calls have, and not by an engine. */
export function toConditions(
  filter: CallFilter,
  rules: AttributionRules,
  readValues: ReadValues,
): Condition[] {
  const { org_unit, channel, source, campaign, disposition, tracking_number, exclude_callers } = filter;
  /** The values of a fact that are among some texts, both in the form in which they are compared. */
  const matching = (
    fact: FactColumn,
    texts: readonly string[],
    toComparable: (text: string) => string,
  ): Condition => {
    const wanted = new Set(texts.map((text) => (isSet(text) ? toComparable(text) : NOT_SET)));
    const isWanted = (value: string | null) =>
      wanted.has((value === null ? "" : toComparable(value)) || NOT_SET);
    return { fact, isOneOf: readValues(fact).filter(isWanted) };
  };
  const lower = (text: string) => text.toLowerCase();
  const conditions: (Condition | undefined)[] = [
    filter.include_gone ? undefined : { fact: "is_live", holds: true },
    org_unit && {
      any: [
        matching("org_unit_name", org_unit, lower),
        { fact: "org_unit_id", isOneOf: org_unit.filter((text) => /^-?\d{1,16}$/.test(text)).map(Number) },
      ],
    },
    channel && {
      fact: "channel",
      isOneOf: CHANNELS.filter((name) => channel.some((text) => lower(text) === lower(name))),
    },
    source && { fact: "source", isOneOf: source.map((text) => foldUtm(text) || null) },
    campaign && {
      any: [matching("campaign", campaign, lower), matching("campaign_id", campaign.filter(isSet), lower)],
    },
    disposition && matching("disposition", disposition, toComparableDisposition),
    tracking_number && matching("tracking_number", tracking_number, toPhoneDigits),
    exclude_callers && { fact: "caller", isNoneOf: exclude_callers.flatMap(spellingsOf) },
    filter.min_duration_seconds === undefined
      ? undefined
      : { fact: "duration", isAtLeast: toDuration(filter.min_duration_seconds, rules) },
    filter.first_time && { fact: "is_first_call", holds: true },
    filter.has_gclid && { fact: "gclid", isPresent: true },
  ];
  return conditions.filter((condition) => condition !== undefined);
}

/** A number may have lost its plus sign on the way here; one that is not left out would be a silent mistake. */
export function spellingsOf(phoneDigits: string): string[] {
  const digits = phoneDigits.replace(/^\++/, "");
  return [digits, `+${digits}`];
}
