import { namesOf } from "../base/records.ts";
import { askFor, similar } from "../base/text/nearest.ts";
import type { AttributionRules } from "../calls/attribution/attribution-rules.ts";
import {
  toCallerKey,
  toCaseless,
  toComparableDisposition,
  toPhoneDigits,
} from "../calls/attribution/call-text.ts";
import { toDuration } from "../calls/attribution/compiled-rules.ts";
import type { FactColumn } from "../calls/facts.ts";
import type { CallFilter } from "../calls/filter.ts";
import type { CampaignNames } from "../figures/campaign-names.ts";
import { NOT_SET, toServed, toShown } from "../figures/reserved-keys.ts";

/** A condition on the facts of a call, independent of an engine. */
export type Condition =
  | { fact: FactColumn; isOneOf: readonly (string | number | null)[] }
  | { fact: "caller" | "campaign_id"; isNoneOf: readonly string[] }
  | { fact: "duration"; isAtLeast: number }
  | { fact: "is_live" | "is_first_call"; holds: true }
  | { fact: "gclid"; isPresent: true }
  | { outcomes: NonNullable<CallFilter["outcome"]> }
  | { any: readonly Condition[] }
  | { all: readonly Condition[] };

type ReadValues = (fact: FactColumn) => readonly (string | number | null)[];

const VALUE_FILTERS = {
  org_unit: [
    { fact: "org_unit_name", toComparable: toCaseless },
    { fact: "org_unit_id", toComparable: toId },
  ],
  channel: [{ fact: "channel", toComparable: toCaseless }],
  source: [{ fact: "source", toComparable: toCaseless }],
  campaign: [
    { fact: "campaign", toComparable: toCaseless },
    { fact: "campaign_id", toComparable: toCaseless },
  ],
  disposition: [{ fact: "disposition", toComparable: toComparableDisposition }],
  topic: [{ fact: "topic", toComparable: toCaseless }],
  tracking_number: [
    { fact: "tracking_number", toComparable: (text: string) => toPhoneDigits(text) || toCaseless(text) },
  ],
} as const satisfies Partial<
  Record<keyof CallFilter, readonly { fact: FactColumn; toComparable: (text: string) => string }[]>
>;
type ValueFilter = keyof typeof VALUE_FILTERS;
const VALUE_FILTER_NAMES: readonly ValueFilter[] = namesOf(VALUE_FILTERS);

/** A value in a filter that no call has. */
export interface UnmatchedValue {
  filter: ValueFilter;
  text: string;
  /** Suggests similar values that calls have. */
  advice: string | undefined;
}

export interface ConditionOptions {
  /** Of campaigns, the names that rows have. */
  readValues: ReadValues;
  /** @default all campaigns have their own names */
  campaignNames?: (() => CampaignNames) | undefined;
  /** Returns the caller's name in the facts, given `+` and digits. @default the digits */
  nameCaller?: ((phoneDigits: string) => string) | undefined;
}

/** Returns the conditions of a filter. Texts are compared here, with the values that calls have, so that engines agree. */
export function toConditions(
  filter: CallFilter,
  rules: Pick<AttributionRules, "duration_unit">,
  { readValues, campaignNames = () => new Map(), nameCaller = (digits) => digits }: ConditionOptions,
): Condition[] {
  const { exclude_callers, min_duration_seconds } = filter;
  const conditions: (Condition | undefined)[] = [
    filter.include_gone ? undefined : { fact: "is_live", holds: true },
    ...VALUE_FILTER_NAMES.map((name) => {
      const texts = filter[name];
      if (texts === undefined) return undefined;
      const conditions = matchingFacts(name, texts, readValues);
      return { any: name === "campaign" ? unify(conditions, campaignNames()) : conditions };
    }),
    filter.outcome && { outcomes: filter.outcome },
    exclude_callers && {
      fact: "caller",
      isNoneOf: exclude_callers.map((number) => nameCaller(toCallerKey(number))),
    },
    min_duration_seconds === undefined
      ? undefined
      : { fact: "duration", isAtLeast: toDuration(min_duration_seconds, rules) },
    filter.first_time && { fact: "is_first_call", holds: true },
    filter.has_gclid && { fact: "gclid", isPresent: true },
  ];
  return conditions.filter((condition) => condition !== undefined);
}

export function comparedFacts(filter: CallFilter): FactColumn[] {
  return VALUE_FILTER_NAMES.flatMap((name) =>
    filter[name] ? VALUE_FILTERS[name].map(({ fact }) => fact) : [],
  );
}

/** Finds values in a filter that no call has, except `(not set)`; none if there are no calls. */
export function findUnmatched(filter: CallFilter, readValues: ReadValues): UnmatchedValue[] {
  if (readValues("channel").length === 0) return [];
  return VALUE_FILTER_NAMES.flatMap((name) =>
    (filter[name] ?? []).flatMap((text) => {
      const isMatched = matchingFacts(name, [text], readValues).some(({ isOneOf }) => isOneOf.length > 0);
      if (isMatched || !isValue(text)) return [];
      const known = VALUE_FILTERS[name].flatMap(({ fact }) =>
        readValues(fact).flatMap((value) => (value === null ? [] : [String(value)])),
      );
      return [{ filter: name, text, advice: askFor(similar(toServed(text), known).map(toShown)) }];
    }),
  );
}

type ValueCondition = Extract<Condition, { isOneOf: unknown }>;

/** The values of a filter's facts that match some texts. `(not set)` is looked for in the first fact only. */
function matchingFacts(
  name: ValueFilter,
  texts: readonly string[],
  readValues: ReadValues,
): ValueCondition[] {
  return VALUE_FILTERS[name].map(({ fact, toComparable }, index) => {
    const wanted = new Set(texts.map((text) => (isValue(text) ? toComparable(toServed(text)) : null)));
    if (index > 0) wanted.delete(null);
    const toKey = (value: string | number | null) => (value === null ? null : toComparable(String(value)));
    return { fact, isOneOf: readValues(fact).filter((value) => wanted.has(toKey(value))) };
  });
}

/** Makes names of campaigns mean all calls of the rows that have them. */
function unify(conditions: readonly ValueCondition[], names: CampaignNames): Condition[] {
  const [name, id] = conditions;
  if (name === undefined || id === undefined || names.size === 0) return [...conditions];
  const ids = [...names].flatMap(([campaignId, common]) =>
    name.isOneOf.includes(common) ? [campaignId] : [],
  );
  return [
    { all: [name, { fact: "campaign_id", isNoneOf: [...names.keys()] }] },
    { ...id, isOneOf: [...new Set([...id.isOneOf, ...ids])] },
  ];
}

/** Returns a whole number without leading zeros; empty for any other text. */
function toId(text: string): string {
  return /^-?\d{1,16}$/.test(text) ? String(Number(text)) : "";
}

/** Whether a filter's text means a value, not `(not set)`. */
export function isValue(text: string): boolean {
  return toCaseless(text) !== NOT_SET;
}
