import { type AttributionRules, findContradictions } from "../attribution/attribution-rules.ts";
import { inspectSettings, type SettingsInspection } from "./load-settings.ts";
import type { Setting } from "./setting.ts";
import type { SettingSources } from "./setting-layers.ts";
import { SETTINGS } from "./settings.ts";
import { describeFixedZone } from "./time-zone.ts";

export function remarkOnSettings(sources: SettingSources): string[] {
  const { found, unknown, settings } = inspectSettings(sources);
  return [
    ...unknown.map(
      ({ name, origin, advice }) =>
        `${name} in ${origin === ".env" ? origin : "the environment"} is not a setting, and has no effect. ${advice}`,
    ),
    describeFixedZone(settings.timezone),
    describeContradiction(settings.rules),
    describeUnusedDays(found),
  ].filter((remark) => remark !== undefined);
}

/** Says that closed days have no effect, if no opening hours are set. */
export function describeUnusedDays(found: SettingsInspection["found"]) {
  const isSet = ({ env }: Setting) => found.some((own) => own.env === env && own.origin !== "not set");
  if (!isSet(SETTINGS.closedFile) || isSet(SETTINGS.hours)) return undefined;
  return `${SETTINGS.closedFile.env} has no effect without ${SETTINGS.hours.env}: set opening hours, or remove it.`;
}

export function describeContradiction(rules: Pick<AttributionRules, "answered" | "missed">) {
  const words = findContradictions(rules);
  if (words.length === 0) return undefined;
  return `${SETTINGS.answered.env} and ${SETTINGS.missed.env} both have ${words.join(", ")}: such calls count as answered. Remove it from one of them.`;
}
