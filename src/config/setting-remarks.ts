import { type AttributionRules, findContradictions } from "../attribution/attribution-rules.ts";
import { didYouMean, nearest } from "../base/nearest.ts";
import { readLayers } from "./load-settings.ts";
import { findGiven, type Layer, type Origin, type SettingSources, toLayers } from "./setting-layers.ts";
import { SETTINGS } from "./settings.ts";
import { describeFixedZone } from "./time-zone.ts";

/** A name that looks like that of a setting and is none. */
export interface UnknownName {
  name: string;
  origin: Origin;
  /** Asks whether another setting was meant, or says where they are. */
  advice: string;
}

const NAMES = Object.values(SETTINGS).map(({ env }) => env);
/** Names the file of accounts and reports, in the environment or `.env`. */
export const CONFIG_VARIABLE = "CALLTALLY_CONFIG";
const KNOWN: ReadonlySet<string> = new Set([...NAMES, CONFIG_VARIABLE]);

/** Finds names that begin like those of settings, or are a slip away from one, and have no effect. */
export function findUnknownNames(layers: readonly Layer[]): UnknownName[] {
  return layers.flatMap(({ origin, values }) => {
    if (origin !== "environment" && origin !== ".env") return [];
    return Object.keys(values).flatMap((name) => {
      if (KNOWN.has(name)) return [];
      const isOurs = name.toUpperCase().startsWith("CALLTALLY_") || nearest(name, NAMES) !== undefined;
      return isOurs
        ? [{ name, origin, advice: didYouMean(name, NAMES) ?? "`calltally docs settings` lists them." }]
        : [];
    });
  });
}

/** Returns what is odd about the settings and yet no error, a sentence each. Bad settings are not looked at. */
export function remarkOnSettings(sources: SettingSources): string[] {
  const layers = tryLayers(sources);
  const unknown = findUnknownNames(layers).map(({ name, origin, advice }) => {
    return `${name} in ${origin === ".env" ? origin : "the environment"} is not a setting, and has no effect. ${advice}`;
  });
  const zone = describeGivenZone(layers);
  const contradiction = describeGivenContradiction(layers);
  return [...unknown, zone, contradiction].filter((remark) => remark !== undefined);
}

/** Returns what is odd about lists of dispositions that name one in both; undefined where nothing is. */
export function describeContradiction(
  rules: Pick<AttributionRules, "answered" | "missed">,
): string | undefined {
  const words = findContradictions(rules);
  if (words.length === 0) return undefined;
  return `${SETTINGS.answered.env} and ${SETTINGS.missed.env} both have ${words.join(", ")}: such calls count as answered. Set both, and leave it out of one.`;
}

function describeGivenContradiction(layers: readonly Layer[]): string | undefined {
  try {
    return describeContradiction(readLayers(layers).rules);
  } catch {
    return undefined; // whoever uses the settings says what is wrong with them
  }
}

function describeGivenZone(layers: readonly Layer[]): string | undefined {
  try {
    const given = findGiven(SETTINGS.timezone, layers);
    return given && describeFixedZone(SETTINGS.timezone.parse(given.text));
  } catch {
    return undefined; // whoever uses it says what is wrong with it
  }
}

function tryLayers(sources: SettingSources): Layer[] {
  try {
    return toLayers(sources);
  } catch {
    return []; // whoever reads the settings says so
  }
}
