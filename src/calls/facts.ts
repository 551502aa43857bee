import { namesOf } from "../base/records.ts";
import type { UTM_FIELDS } from "./columns.ts";

export const OUTCOMES = ["answered", "missed", "other"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const IN_HOURS = ["yes", "no"] as const;

interface Values {
  /** ISO 8601 UTC with milliseconds. */
  time: string | null;
  integer: number | null;
  flag: boolean;
  text: string | null;
  "required text": string;
  outcome: Outcome;
  "in hours": (typeof IN_HOURS)[number] | null;
}
export type FactType = keyof Values;

/**
 * Views and lists show facts in these groups. `attribution`: how the call came. `tags`: the keys of its utm values.
 * `visit`: where the visit before it came from. `conversation`: what came of it.
 */
export type FactGroup = "attribution" | "tags" | "visit" | "conversation" | "caller";

/** A fact of a call: tables, views, lists, files, explanations, the library's types and a cluster follow it. */
interface Described {
  type: FactType;
  /** Its meaning in the warehouse. */
  help: string;
  /** Whether it may contain phone numbers. */
  personal?: "text";
  /** Whether it follows from the call and the rules; the others depend on other calls, or on the service's list. */
  isDerived?: true;
  /** Whether it depends on the rules by members that are marked as ruled: it is derived again if the rules change. */
  isRuled?: true;
  /**
   * How lists and views show a fact that is not a member of the call; by default not at all. `common`: the column of
   * the common name, which precedes the fact.
   */
  shown?: { in: FactGroup; as?: string; common?: string };
}

type ValueOf<Fact extends Described> = Values[Fact["type"]];

const folded = <const Field extends (typeof UTM_FIELDS)[number]>(field: Field) =>
  ({
    isDerived: true,
    isRuled: true,
    type: "text",
    personal: "text",
    shown: { in: "tags" },
    help: `Dimension ${field}: trimmed, lower-cased, by its alias.`,
  }) as const;

/** The facts of a call by the rules in force, in the order of the table `call_facts`. Null for no value. */
export const FACTS = {
  is_live: {
    type: "flag",
    help: "0 once `gone_at` in `calls` is set: figures leave the call out. 1 for all others, including missing and unlisted ones.",
  },
  call_started: { isDerived: true, type: "time", help: "Start of the call, ISO 8601 UTC with milliseconds." },
  duration: {
    isDerived: true,
    type: "integer",
    help: "As served; seconds unless CALLTALLY_DURATION_UNIT says otherwise. From -2147483647 to 2147483647, so that sums are exact.",
  },
  outcome: {
    isDerived: true,
    isRuled: true,
    type: "outcome",
    shown: { in: "conversation" },
    help: "answered, missed or other, by the disposition.",
  },
  topic: {
    isDerived: true,
    isRuled: true,
    type: "text",
    shown: { in: "conversation" },
    help: "Topic by what was said, from the file of topics; null for none. It stays if the transcript is not kept.",
  },
  is_qualified: {
    isDerived: true,
    isRuled: true,
    type: "flag",
    shown: { in: "conversation", as: "qualified" },
    help: "1 if answered and long enough, unless the topic decides.",
  },
  in_hours: {
    isDerived: true,
    type: "in hours",
    shown: { in: "conversation" },
    help: "yes if it started in opening hours; no if not, or if its start is unknown. Null if no hours are set.",
  },
  is_first_call: {
    type: "flag",
    shown: { in: "conversation", as: "first_time_caller" },
    help: "1 if it is its caller's first live call.",
  },
  caller: {
    isDerived: true,
    type: "text",
    shown: { in: "caller" },
    help: "The caller in `callers`, unlike the number `caller_id` in `calls`; null for a hidden one.",
  },
  source: {
    isDerived: true,
    isRuled: true,
    type: "text",
    personal: "text",
    shown: { in: "attribution" },
    help: "Folded utm_source; else google or bing for a click on their ads, else from the referrer; `(direct)` if there is none of these.",
  },
  medium: {
    isDerived: true,
    isRuled: true,
    type: "text",
    personal: "text",
    shown: { in: "attribution" },
    help: "Folded utm_medium; cpc for a click on an ad of Google or Microsoft if missing or organic; else ai-assistant, organic, referral or `(none)`.",
  },
  campaign: {
    isDerived: true,
    isRuled: true,
    type: "text",
    personal: "text",
    shown: { in: "attribution", as: "campaign_as_tagged", common: "campaign" },
    help: "The campaign's name in this call: campaign_name, else utm_campaign, else `(ai-assistant)` for that medium.",
  },
  campaign_id: { isDerived: true, type: "text", personal: "text", help: "The campaign's identifier." },
  gclid: {
    isDerived: true,
    type: "text",
    personal: "text",
    help: "Google click id, from `dni_data`, an undocumented member or the query of `referring_url`.",
  },
  gclsrc: {
    isDerived: true,
    type: "text",
    personal: "text",
    help: "Source of the Google click id, in lower case.",
  },
  channel: {
    isDerived: true,
    isRuled: true,
    type: "required text",
    shown: { in: "attribution" },
    help: "GA4's default channel group, or an own channel.",
  },
  referring_host: {
    isDerived: true,
    type: "text",
    personal: "text",
    shown: { in: "visit" },
    help: "Host of `referring_url` by the URL standard, ASCII, without www.",
  },
  utm_source_folded: folded("utm_source"),
  utm_medium_folded: folded("utm_medium"),
  utm_campaign_folded: folded("utm_campaign"),
  utm_content_folded: folded("utm_content"),
  utm_term_folded: folded("utm_term"),
  insight_name: { isDerived: true, type: "text", personal: "text", help: "`insight_name`, trimmed." },
  org_unit_id: {
    isDerived: true,
    type: "integer",
    help: "The group (organization unit) that the call belongs to.",
  },
  org_unit_name: { isDerived: true, type: "text", personal: "text", help: "The group's name, trimmed." },
  tracking_number: {
    isDerived: true,
    type: "text",
    help: "The number called, as `+` and digits; otherwise trimmed text.",
  },
  disposition: { isDerived: true, type: "text", personal: "text", help: "`disposition`, trimmed." },
} as const satisfies Readonly<Record<string, Described>>;

export type FactName = keyof typeof FACTS;
export const FACT_NAMES = namesOf(FACTS);

type FactThat<Has> = { [Name in FactName]: (typeof FACTS)[Name] extends Has ? Name : never }[FactName];
/** The facts that follow from a call and the rules. */
export type DerivedFact = FactThat<{ isDerived: true }>;
/** Those that are derived again if only the rules change. */
export type RuledFact = FactThat<{ isRuled: true }>;
/** Those that lists or views show under a name of their own, and not as the member of this name. */
export type ShownFact = FactThat<{ shown: unknown }>;
export type ShownName<Name extends ShownFact> = (typeof FACTS)[Name]["shown"] extends {
  as: infer As extends string;
}
  ? As
  : Name;

export type FactValue<Name extends FactName> = ValueOf<(typeof FACTS)[Name]>;

/** The facts of one call by the rules in force; null for no value. The table `call_facts` describes each. */
export type CallFacts = { [Name in DerivedFact]: FactValue<Name> };

/** A fact by its name in lists; `call_id` is there, too. */
export type FactColumn = FactName | "call_id";

export const DERIVED_FACTS = FACT_NAMES.filter((name): name is DerivedFact => "isDerived" in FACTS[name]);
export const RULED_FACTS = FACT_NAMES.filter((name): name is RuledFact => "isRuled" in FACTS[name]);

/** Returns the facts that views and lists show in a group, in the order of the table. */
export function shownFacts<Group extends FactGroup>(group: Group): FactThat<{ shown: { in: Group } }>[];
export function shownFacts(group: FactGroup): FactName[] {
  return FACT_NAMES.filter((name) => {
    const { shown }: Described = FACTS[name];
    return shown?.in === group;
  });
}

export function shownName(name: ShownFact): string {
  const { shown }: Described = FACTS[name];
  return shown?.as ?? name;
}

/** What the column of a common name is. */
export const COMMON_NAME =
  "The campaign's name in rollups: the one that most live calls of its campaign_id have, else campaign_as_tagged.";

/** A column of lists and views: a fact, or the common name of the campaign. */
export interface ShownColumn<Fact extends FactName> {
  name: string;
  fact: Fact;
  type: FactType;
  help: string;
  isCommon?: true;
}

/** Returns the columns of a group of facts in lists and views. */
export function shownColumns<Group extends FactGroup>(
  group: Group,
): ShownColumn<FactThat<{ shown: { in: Group } }>>[] {
  return shownFacts(group).flatMap((fact) => {
    const { shown, type, help }: Described = FACTS[fact];
    const column = { name: shownName(fact), fact, type, help };
    if (shown?.common === undefined) return [column];
    return [{ ...column, name: shown.common, help: COMMON_NAME, isCommon: true }, column];
  });
}

const LISTED = [...shownFacts("attribution"), ...shownFacts("visit"), ...shownFacts("conversation")];
type ListedFact = (typeof LISTED)[number];

/** Returns the facts that lists of calls show, by their names there. */
export function listedFacts(facts: { readonly [Name in ListedFact]: FactValue<Name> }): {
  [Name in ListedFact as ShownName<Name>]: FactValue<Name>;
};
export function listedFacts(facts: Readonly<Record<ListedFact, unknown>>): object {
  return Object.fromEntries(LISTED.map((name) => [shownName(name), facts[name]]));
}
