import type { OpeningHours } from "../../base/calendar/opening-hours.ts";
import { toComparableDisposition } from "./call-text.ts";
import type { ChannelLine } from "./own-channels.ts";
import type { TopicLine } from "./topics.ts";

/** What an alias may be of, instead of any utm value. */
export const ALIAS_FIELDS = ["source", "medium", "campaign"] as const;
export type AliasField = (typeof ALIAS_FIELDS)[number];

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
  /**
   * Aliases of one field, from folded value to value; they come before the others. They rename all its values, not only
   * utm values.
   * @default none
   */
  aliases_of?: Readonly<Partial<Record<AliasField, Readonly<Record<string, string>>>>> | undefined;
  /** In order: the first one found in a call names its topic. */
  topics: readonly TopicLine[];
  /** Own channels, in order: the first line that matches names the channel; after the last, GA4's rules do. */
  channels: readonly ChannelLine[];
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
  channels: [],
};

/** Returns the dispositions that are in both lists. */
export function findContradictions({
  answered,
  missed,
}: Pick<AttributionRules, "answered" | "missed">): string[] {
  const comparable = new Set(answered.map(toComparableDisposition));
  return missed.filter((disposition) => comparable.has(toComparableDisposition(disposition)));
}

export function countAliases({ aliases, aliases_of = {} }: Pick<AttributionRules, "aliases" | "aliases_of">) {
  return [aliases, ...Object.values(aliases_of)].reduce((sum, each) => sum + Object.keys(each).length, 0);
}

/** Returns canonical JSON: rules with the same meaning give the same text. */
export function toRulesJson(rules: AttributionRules): string {
  const { answered, missed, qualified_seconds, duration_unit, aliases, aliases_of, topics, channels, hours } =
    rules;
  const sorted = (dispositions: readonly string[]) =>
    [...new Set(dispositions.map(toComparableDisposition))].sort();
  return JSON.stringify({
    answered: sorted(answered),
    missed: sorted(missed),
    qualified_seconds,
    duration_unit,
    aliases: [aliases, ...ALIAS_FIELDS.map((field) => aliases_of?.[field] ?? {})].map((each) =>
      Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1))),
    ),
    // An empty line more in the file changes nothing.
    topics: topics.map(({ line: _, ...topic }) => topic),
    channels: channels.map(({ line: _, ...channel }) => channel),
    hours: hours ? { week: hours.week, closed: hours.closed, timezone: hours.timezone } : null,
  });
}
