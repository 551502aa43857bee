import { openAt } from "../../base/calendar/opening-hours.ts";
import type { IN_HOURS, Outcome } from "../facts.ts";
import type { AliasField, AttributionRules } from "./attribution-rules.ts";
import { foldUtm, toComparableDisposition } from "./call-text.ts";
import { compileChannels } from "./own-channels.ts";
import { remember } from "./remember.ts";
import { compileTopics } from "./topics.ts";

const compiled = new WeakMap<AttributionRules, ReturnType<typeof compile>>();

/** Prepares rules for many calls; cached for each rules object. */
export function compileRules(rules: AttributionRules) {
  const rulesOfCalls = compiled.get(rules) ?? compile(rules);
  compiled.set(rules, rulesOfCalls);
  return rulesOfCalls;
}

function compile(rules: AttributionRules) {
  const outcomes = new Map<string, Outcome>();
  for (const disposition of rules.missed) outcomes.set(toComparableDisposition(disposition), "missed");
  for (const disposition of rules.answered) outcomes.set(toComparableDisposition(disposition), "answered");
  const topics = new Map(rules.topics.map((line) => [line.topic, line]));
  const isOpenAt = rules.hours && openAt(rules.hours);
  const ofField = (field: AliasField) => Object.entries(rules.aliases_of?.[field] ?? {});
  /** Folds a utm value, and replaces it by its alias. */
  const utmKeys = (ofField: [string, string][] = []) => {
    const aliases = new Map([
      ...Object.entries(rules.aliases),
      ...ofField.map(([raw, value]) => [raw, foldUtm(value)] as const),
    ]);
    return remember((value) => {
      const folded = foldUtm(value);
      return (aliases.get(folded) ?? folded) || null;
    });
  };
  /** Replaces a value of a call by an alias of its field alone. */
  const namesOf = (pairs: [string, string][]) => {
    const aliases = new Map(pairs);
    const nameOf = remember((value) => (aliases.get(foldUtm(value)) ?? value) || null);
    return (value: string | null) => (value === null || aliases.size === 0 ? value : nameOf(value));
  };
  return {
    outcomeOf: remember((disposition) => outcomes.get(toComparableDisposition(disposition)) ?? "other"),
    /** The key that utm values count under: folded, then replaced by its alias; null for no value. */
    utmKeyOf: {
      utm_source: utmKeys(ofField("source")),
      utm_medium: utmKeys(ofField("medium")),
      utm_campaign: utmKeys(ofField("campaign")),
      utm_content: utmKeys(),
      utm_term: utmKeys(),
    },
    /** The name of a medium or campaign that is not from a tag. */
    mediumOf: namesOf(ofField("medium")),
    campaignOf: namesOf(ofField("campaign")),
    /** The least duration of a qualified call, in the unit in which the service serves durations. */
    qualifiedDuration: toDuration(rules.qualified_seconds, rules),
    ...compileChannels(rules.channels),
    /** Whether a call came in opening hours, by its start; null if none are set. */
    inHours: (started: string | null): (typeof IN_HOURS)[number] | null => {
      if (isOpenAt === undefined) return null;
      return started !== null && isOpenAt(started) ? "yes" : "no";
    },
    findTopic: compileTopics(rules.topics),
    /** What the lines of a topic say; undefined if there are none. */
    aboutTopic: (topic: string | null) => (topic === null ? undefined : topics.get(topic)),
  };
}

export function toDuration(
  seconds: number,
  { duration_unit }: Pick<AttributionRules, "duration_unit">,
): number {
  return duration_unit === "seconds" ? seconds : seconds * 1000;
}
