import { toComparableDisposition } from "./call-text.ts";

/** What counts as what, as the operator has set it; stands in every manifest, so that each figure can be defended. */
export interface AttributionRules {
  /** Dispositions of answered calls, compared without case and with `-` and `_` as spaces. */
  answered: readonly string[];
  /** Dispositions of missed calls; any other is neither. */
  missed: readonly string[];
  /** Seconds an answered call must last to be a qualified one. */
  qualified_seconds: number;
  /** The unit of `duration`, which the API does not say. */
  duration_unit: "seconds" | "milliseconds";
  /** Folded utm values, and those they are counted under instead; an empty one stands for no value. */
  aliases: Readonly<Record<string, string>>;
  /** Whether callers are known by keyed digests of their numbers, which need not be kept then; no figure differs. @default false */
  caller_digests?: boolean;
}

export const DEFAULT_RULES: AttributionRules = {
  answered: ["answered", "transferred"],
  missed: ["no answer", "busy", "failed", "voicemail", "abandoned"],
  qualified_seconds: 60,
  duration_unit: "seconds",
  aliases: {},
};

/** Returns the dispositions that are in both lists, so that nobody could say what a call with one of them was. */
export function findContradictions({
  answered,
  missed,
}: Pick<AttributionRules, "answered" | "missed">): string[] {
  const comparable = new Set(answered.map(toComparableDisposition));
  return missed.filter((disposition) => comparable.has(toComparableDisposition(disposition)));
}

/** Returns the JSON of rules, the same for rules that mean the same. */
export function toRulesJson(rules: AttributionRules): string {
  const { answered, missed, qualified_seconds, duration_unit, aliases } = rules;
  const sorted = (dispositions: readonly string[]) =>
    [...new Set(dispositions.map(toComparableDisposition))].sort();
  return JSON.stringify({
    answered: sorted(answered),
    missed: sorted(missed),
    qualified_seconds,
    duration_unit,
    aliases: Object.fromEntries(Object.entries(aliases).sort(([a], [b]) => (a < b ? -1 : 1))),
  });
}
