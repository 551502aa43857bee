import { didYouMean } from "../../base/text/nearest.ts";
import { type AttributionRules, DEFAULT_RULES } from "../../calls/attribution/attribution-rules.ts";
import { toComparableDisposition } from "../../calls/attribution/call-text.ts";
import type { Setting } from "../../config/setting.ts";
import type { SettingSources } from "../../config/setting-layers.ts";
import { nameSetting } from "../../config/setting-name.ts";
import { SETTINGS } from "../../config/settings.ts";
import type { Reader } from "../warehouse.ts";

export interface UnmatchedDisposition {
  setting: Pick<Setting, "key" | "env">;
  word: string;
  advice: string;
}

const BY_DEFAULT = new Set([...DEFAULT_RULES.answered, ...DEFAULT_RULES.missed].map(toComparableDisposition));

/** Ignores the defaults, which a service need not have. Stops reading once each disposition has a call. */
export function findUnmatchedDispositions(
  { sqlite }: Reader,
  { answered, missed }: Pick<AttributionRules, "answered" | "missed">,
): UnmatchedDisposition[] {
  const set = [
    ...answered.map((word) => ({ setting: SETTINGS.answered, word })),
    ...missed.map((word) => ({ setting: SETTINGS.missed, word })),
  ];
  const open = new Map(set.map((each) => [toComparableDisposition(each.word), each]));
  for (const known of BY_DEFAULT) open.delete(known);
  if (open.size === 0) return [];
  const served = new Set<string>();
  const select = sqlite.prepare<[], string>(
    "SELECT disposition FROM call_facts WHERE disposition IS NOT NULL",
  );
  for (const disposition of select.pluck().iterate()) {
    if (served.has(disposition)) continue;
    served.add(disposition);
    open.delete(toComparableDisposition(disposition));
    if (open.size === 0) return [];
  }
  if (served.size === 0) return [];
  const listed = "`calltally export disposition` lists the existing ones.";
  return [...open.values()].map((unmatched) => ({
    ...unmatched,
    advice: didYouMean(unmatched.word, [...served]) ?? listed,
  }));
}

export function describeUnmatchedDisposition(
  { setting, word, advice }: UnmatchedDisposition,
  sources: SettingSources,
): string {
  return `${nameSetting(setting, sources)} has ${word}, and no call in the warehouse has that disposition. ${advice}`;
}
