import { namesOf } from "../base/records.ts";
import { presentId, presentNumber, presentText, toCaller } from "./call-text.ts";
import { compileRules, type IN_HOURS, type Outcome } from "./compiled-rules.ts";
import { type AttributedMembers, type Evidence, isQualified, toChannelValues } from "./evidence.ts";

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

/** Lists show facts in groups: how the call came, what came of it, and the page that the visit came from. */
export type FactGroup = "attribution" | "conversation" | "visit";

/** A fact of a call: tables, views, lists, files, explanations, the library's types and a cluster follow it. */
interface Described {
  type: FactType;
  /** Its meaning in the warehouse. */
  help: string;
  /** Whether it may contain phone numbers. */
  personal?: "text";
  /** How lists and views show a fact that is not a member of the call; by default not at all. */
  shown?: { in: FactGroup | "views"; as?: string };
}

type ValueOf<Fact extends Described> = Values[Fact["type"]];

/** A fact that follows from the call alone. */
const fact = <const Row extends Described>(
  row: Row,
  derive: (evidence: Evidence<AttributedMembers>) => ValueOf<Row>,
) => ({ ...row, derive });

/** A fact that depends on the rules: it is derived again from less if only the rules change. */
const ruled = <const Row extends Described>(row: Row, deriveRuled: (evidence: Evidence) => ValueOf<Row>) => ({
  ...row,
  derive: deriveRuled,
  deriveRuled,
});

/** A fact that depends on other calls, or on the service's list. */
const known = <const Row extends Described>(row: Row) => row;

const folded = <const Field extends "utm_source" | "utm_medium" | "utm_campaign" | "utm_content" | "utm_term">(
  field: Field,
) =>
  ruled(
    {
      type: "text",
      personal: "text",
      shown: { in: "views" },
      help: `Dimension ${field}: trimmed, lower-cased, by its alias.`,
    },
    ({ tags }) => tags[field],
  );

/** The facts of a call by the rules in force, in the order of the table `call_facts`. Null for no value. */
export const FACTS = {
  is_live: known({
    type: "flag",
    help: "0 once `gone_at` in `calls` is set: figures leave the call out. 1 for all others, including missing and unlisted ones.",
  }),
  call_started: fact(
    { type: "time", help: "Start of the call, ISO 8601 UTC with milliseconds." },
    ({ call }) => call.call_started,
  ),
  duration: fact(
    {
      type: "integer",
      help: "As served; seconds unless CALLTALLY_DURATION_UNIT says otherwise. From -2147483647 to 2147483647, so that sums are exact.",
    },
    ({ call }) => call.duration,
  ),
  outcome: ruled(
    {
      type: "outcome",
      shown: { in: "conversation" },
      help: "answered, missed or other, by the disposition.",
    },
    ({ outcome }) => outcome,
  ),
  topic: ruled(
    {
      type: "text",
      shown: { in: "conversation" },
      help: "Topic by what was said, from the file of topics; null for none. It stays if the transcript is not kept.",
    },
    ({ topic }) => topic,
  ),
  is_qualified: ruled(
    {
      type: "flag",
      shown: { in: "conversation", as: "qualified" },
      help: "1 if answered and long enough, unless the topic decides.",
    },
    ({ outcome, call, topic, rules }) => isQualified({ outcome, duration: call.duration, topic }, rules),
  ),
  in_hours: fact(
    {
      type: "in hours",
      shown: { in: "conversation" },
      help: "yes if it started in opening hours; no if not, or if its start is unknown. Null if no hours are set.",
    },
    ({ call, rules }) => compileRules(rules).inHours(call.call_started),
  ),
  is_first_call: known({
    type: "flag",
    shown: { in: "conversation", as: "first_time_caller" },
    help: "1 if it is its caller's first live call.",
  }),
  caller: fact(
    {
      type: "text",
      shown: { in: "views" },
      help: "The caller in `callers`, unlike the number `caller_id` in `calls`; null for a hidden one.",
    },
    ({ call }) => toCaller(call.caller_id),
  ),
  source: ruled(
    {
      type: "text",
      personal: "text",
      shown: { in: "attribution" },
      help: "Folded utm_source; else google or bing for a click on their ads, else from the referrer; `(direct)` if there is none of these.",
    },
    ({ source }) => source,
  ),
  medium: ruled(
    {
      type: "text",
      personal: "text",
      shown: { in: "attribution" },
      help: "Folded utm_medium; cpc for a click on an ad of Google or Microsoft if missing or organic; else ai-assistant, organic, referral or `(none)`.",
    },
    ({ medium }) => medium,
  ),
  campaign: ruled(
    {
      type: "text",
      personal: "text",
      shown: { in: "attribution" },
      help: "The campaign's name: campaign_name, else utm_campaign, else `(ai-assistant)` for that medium.",
    },
    ({ campaign }) => campaign,
  ),
  campaign_id: fact(
    { type: "text", personal: "text", help: "The campaign's identifier." },
    ({ campaignId }) => campaignId,
  ),
  gclid: fact(
    {
      type: "text",
      personal: "text",
      help: "Google click id, from `dni_data`, an undocumented member or the query of `referring_url`.",
    },
    ({ call, click }) => presentId(call.gclid) ?? (click?.by === "gclid" ? click.id : null),
  ),
  gclsrc: fact(
    { type: "text", personal: "text", help: "Source of the Google click id, in lower case." },
    ({ call, click }) => presentId(call.gclsrc)?.toLowerCase() ?? click?.gclsrc ?? null,
  ),
  channel: ruled(
    {
      type: "required text",
      shown: { in: "attribution" },
      help: "GA4's default channel group, or an own channel.",
    },
    ({ rules, tags, referringHost, ...facts }) =>
      compileRules(rules).channelOf(
        toChannelValues({ ...facts, utm_campaign_folded: tags.utm_campaign, referring_host: referringHost }),
      ),
  ),
  referring_host: fact(
    {
      type: "text",
      personal: "text",
      shown: { in: "visit" },
      help: "Host of `referring_url` by the URL standard, ASCII, without www.",
    },
    ({ referringHost }) => referringHost,
  ),
  utm_source_folded: folded("utm_source"),
  utm_medium_folded: folded("utm_medium"),
  utm_campaign_folded: folded("utm_campaign"),
  utm_content_folded: folded("utm_content"),
  utm_term_folded: folded("utm_term"),
  insight_name: fact({ type: "text", personal: "text", help: "`insight_name`, trimmed." }, ({ call }) =>
    presentText(call.insight_name),
  ),
  org_unit_id: fact(
    { type: "integer", help: "The group (organization unit) that the call belongs to." },
    ({ call }) => call.org_unit_id,
  ),
  org_unit_name: fact({ type: "text", personal: "text", help: "The group's name, trimmed." }, ({ call }) =>
    presentText(call.org_unit_name),
  ),
  tracking_number: fact(
    { type: "text", help: "The number called, as `+` and digits; otherwise trimmed text." },
    ({ call }) => presentNumber(call.tracking_number),
  ),
  disposition: fact(
    { type: "text", personal: "text", help: "`disposition`, trimmed." },
    ({ disposition }) => disposition,
  ),
};

export type FactName = keyof typeof FACTS;
export const FACT_NAMES = namesOf(FACTS);

type FactThat<Has> = { [Name in FactName]: (typeof FACTS)[Name] extends Has ? Name : never }[FactName];
/** The facts that follow from a call and the rules. */
export type DerivedFact = FactThat<{ derive: unknown }>;
/** Those that are derived again if only the rules change. */
export type RuledFact = FactThat<{ deriveRuled: unknown }>;
/** Those that lists or views show under a name of their own, and not as the member of this name. */
export type ShownFact = FactThat<{ shown: unknown }>;
export type ShownName<Name extends ShownFact> = (typeof FACTS)[Name]["shown"] extends { as: infer As extends string }
  ? As
  : Name;

/** The facts of one call by the rules in force; null for no value. The table `call_facts` describes each. */
export type CallFacts = { [Name in DerivedFact]: ValueOf<(typeof FACTS)[Name]> };

/** A fact by its name in lists; `call_id` is there, too. */
export type FactColumn = FactName | "call_id";

export const DERIVED_FACTS = FACT_NAMES.filter((name): name is DerivedFact => "derive" in FACTS[name]);
export const RULED_FACTS = FACT_NAMES.filter((name): name is RuledFact => "deriveRuled" in FACTS[name]);

/** Returns the facts that lists show in a group, or views show, in the order of the table. */
export function shownFacts(group?: FactGroup): ShownFact[] {
  const isShown = (name: FactName): name is ShownFact => {
    const { shown }: Described = FACTS[name];
    return shown !== undefined && (group === undefined || shown.in === group);
  };
  return FACT_NAMES.filter(isShown);
}

export function shownName(name: ShownFact): string {
  const { shown }: Described = FACTS[name];
  return shown?.as ?? name;
}
