import { openAt } from "../calendar/opening-hours.ts";
import type { AttributionRules } from "./attribution-rules.ts";
import { foldUtm, toComparableDisposition } from "./call-text.ts";
import { remember } from "./remember.ts";
import { compileTopics } from "./topics.ts";

export const OUTCOMES = ["answered", "missed", "other"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const IN_HOURS = ["yes", "no"] as const;

const compiled = new WeakMap<AttributionRules, ReturnType<typeof compile>>();

/** Prepares rules for many calls; cached for each rules object. */
export function compileRules(rules: AttributionRules) {
  const made = compiled.get(rules) ?? compile(rules);
  compiled.set(rules, made);
  return made;
}

function compile(rules: AttributionRules) {
  const outcomes = new Map<string, Outcome>();
  for (const disposition of rules.missed) outcomes.set(toComparableDisposition(disposition), "missed");
  for (const disposition of rules.answered) outcomes.set(toComparableDisposition(disposition), "answered");
  const topics = new Map(rules.topics.map((line) => [line.topic, line]));
  const aliases = new Map(Object.entries(rules.aliases));
  const isOpenAt = rules.hours && openAt(rules.hours);
  return {
    outcomeOf: remember((disposition) => outcomes.get(toComparableDisposition(disposition)) ?? "other"),
    /** The key a utm value counts under: folded, then replaced by its alias; null for no value. */
    utmKeyOf: remember((value) => {
      const folded = foldUtm(value);
      return (aliases.get(folded) ?? folded) || null;
    }),
    /** The least duration of a qualified call, in the unit in which the service serves durations. */
    qualifiedDuration: toDuration(rules.qualified_seconds, rules),
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
