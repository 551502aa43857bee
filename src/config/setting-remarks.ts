import { type AttributionRules, findContradictions } from "../attribution/attribution-rules.ts";
import { inspectSettings } from "./load-settings.ts";
import type { SettingSources } from "./setting-layers.ts";
import { SETTINGS } from "./settings.ts";
import { describeFixedZone } from "./time-zone.ts";

export function remarkOnSettings(sources: SettingSources): string[] {
  const { unknown, settings } = inspectSettings(sources);
  return [
    ...unknown.map(
      ({ name, origin, advice }) =>
        `${name} in ${origin === ".env" ? origin : "the environment"} is not a setting, and has no effect. ${advice}`,
    ),
    describeFixedZone(settings.timezone),
    describeContradiction(settings.rules),
  ].filter((remark) => remark !== undefined);
}

export function describeContradiction(rules: Pick<AttributionRules, "answered" | "missed">) {
  const words = findContradictions(rules);
  if (words.length === 0) return undefined;
  return `${SETTINGS.answered.env} and ${SETTINGS.missed.env} both have ${words.join(", ")}: such calls count as answered. Remove it from one of them.`;
}
