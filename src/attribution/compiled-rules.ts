import type { AttributionRules } from "./attribution-rules.ts";
import { foldUtm, toComparableDisposition } from "./call-text.ts";
import { remember } from "./remember.ts";

export const OUTCOMES = ["answered", "missed", "other"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface CompiledRules {
  outcomeOf: (disposition: string) => Outcome;
  /** The key a utm value counts under: folded, then replaced by its alias; null for no value. */
  utmKeyOf: (value: string) => string | null;
  /** The least duration of a qualified call, in the unit in which the service serves durations. */
  qualifiedDuration: number;
}

const compiled = new WeakMap<AttributionRules, CompiledRules>();

/** Prepares rules for many calls; cached for each rules object. */
export function compileRules(rules: AttributionRules): CompiledRules {
  const known = compiled.get(rules);
  if (known !== undefined) return known;
  const outcomes = new Map<string, Outcome>();
  for (const disposition of rules.missed) outcomes.set(toComparableDisposition(disposition), "missed");
  for (const disposition of rules.answered) outcomes.set(toComparableDisposition(disposition), "answered");
  const aliases = new Map(Object.entries(rules.aliases));
  const made: CompiledRules = {
    outcomeOf: remember((disposition) => outcomes.get(toComparableDisposition(disposition)) ?? "other"),
    utmKeyOf: remember((value) => {
      const folded = foldUtm(value);
      return (aliases.get(folded) ?? folded) || null;
    }),
    qualifiedDuration: toDuration(rules.qualified_seconds, rules),
  };
  compiled.set(rules, made);
  return made;
}

export function toDuration(
  seconds: number,
  { duration_unit }: Pick<AttributionRules, "duration_unit">,
): number {
  return duration_unit === "seconds" ? seconds : seconds * 1000;
}
