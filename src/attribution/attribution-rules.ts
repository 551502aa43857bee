import type { OpeningHours } from "../calendar/opening-hours.ts";
import { toComparableDisposition } from "./call-text.ts";
import type { TopicLine } from "./topics.ts";

/** The operator's definitions; every manifest contains them, so that each figure can be defended. */
export interface AttributionRules {
  /** Dispositions of answered calls, compared without case and with `-` and `_` as spaces. */
  answered: readonly string[];
  /** Dispositions of missed calls; all others are neither. */
  missed: readonly string[];
  /** Seconds that an answered call must last to be qualified. */
  qualified_seconds: number;
  /** The unit of `duration`, which the API does not document. */
  duration_unit: "seconds" | "milliseconds";
  /** Folded utm values and what they count as; an empty text means no value. */
  aliases: Readonly<Record<string, string>>;
  /** In order: the first one found in a call names its topic. */
  topics: readonly TopicLine[];
  /** @default none are set */
  hours?: OpeningHours | undefined;
  /**
   * Whether callers are known by keyed digests of their numbers, so that the numbers need not be kept. Figures are
   * the same. @default false
   */
  caller_digests?: boolean;
}

export const DEFAULT_RULES: AttributionRules = {
  answered: ["answered", "transferred"],
  missed: ["no answer", "busy", "failed", "voicemail", "abandoned"],
  qualified_seconds: 60,
  duration_unit: "seconds",
  aliases: {},
  topics: [],
};

/** Returns the dispositions that are in both lists. */
export function findContradictions({
  answered,
  missed,
}: Pick<AttributionRules, "answered" | "missed">): string[] {
  const comparable = new Set(answered.map(toComparableDisposition));
  return missed.filter((disposition) => comparable.has(toComparableDisposition(disposition)));
}

/** Returns canonical JSON: rules with the same meaning give the same text. */
export function toRulesJson(rules: AttributionRules): string {
  const { answered, missed, qualified_seconds, duration_unit, aliases, topics, hours } = rules;
  const sorted = (dispositions: readonly string[]) =>
    [...new Set(dispositions.map(toComparableDisposition))].sort();
  return JSON.stringify({
    answered: sorted(answered),
    missed: sorted(missed),
    qualified_seconds,
    duration_unit,
    aliases: Object.fromEntries(Object.entries(aliases).sort(([a], [b]) => (a < b ? -1 : 1))),
    // An empty line more in the file changes nothing.
    topics: topics.map(({ line: _, ...topic }) => topic),
    hours: hours ? { week: hours.week, closed: hours.closed, timezone: hours.timezone } : null,
  });
}
