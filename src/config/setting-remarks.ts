import { type AttributionRules, findContradictions } from "../calls/attribution/attribution-rules.ts";
import { inspectSettings, type SettingsInspection } from "./load-settings.ts";
import type { Setting } from "./setting.ts";
import type { SettingSources } from "./setting-layers.ts";
import { nameSetting } from "./setting-name.ts";
import { SETTINGS } from "./settings.ts";
import { describeFixedZone } from "./time-zone.ts";

export function remarkOnSettings(sources: SettingSources): string[] {
  const { entries, unknown, settings } = inspectSettings(sources);
  return [
    ...unknown.map(
      ({ name, origin, advice }) =>
        `${name} in ${origin === ".env" ? origin : "the environment"} is not a setting, and has no effect. ${advice}`,
    ),
    describeFixedZone(settings.timezone),
    describeContradiction(settings.rules, sources),
    describeUnusedDays(entries, sources),
  ].filter((remark) => remark !== undefined);
}

/** Says that closed days have no effect, if no opening hours are set. */
export function describeUnusedDays(entries: SettingsInspection["entries"], sources: SettingSources) {
  const isSet = ({ env }: Setting) =>
    entries.some((setting) => setting.env === env && setting.origin !== "not set");
  if (!isSet(SETTINGS.closedFile) || isSet(SETTINGS.hours)) return undefined;
  return `${nameSetting(SETTINGS.closedFile, sources)} has no effect without ${nameSetting(SETTINGS.hours, sources)}: set opening hours, or remove it.`;
}

export function describeContradiction(
  rules: Pick<AttributionRules, "answered" | "missed">,
  sources: SettingSources,
) {
  const words = findContradictions(rules);
  if (words.length === 0) return undefined;
  return `${nameSetting(SETTINGS.answered, sources)} and ${nameSetting(SETTINGS.missed, sources)} both have ${words.join(", ")}: such calls count as answered. Remove it from one of them.`;
}
