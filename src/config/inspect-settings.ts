import { describeError } from "../base/errors.ts";
import { readLayers } from "./load-settings.ts";
import { findGiven, type Layer, type Origin, type SettingSources, toLayers } from "./setting-layers.ts";
import { findUnknownNames } from "./setting-remarks.ts";
import { SETTINGS, type SettingSpec } from "./settings.ts";

/** One setting as it was found. */
export interface FoundSetting {
  env: string;
  origin: Origin | "not set";
  /** Where it stands in `calltally.yaml`. */
  place?: string | undefined;
  /** As a person may see it: of a secret its file and length alone. Undefined where it is not set, or cannot be used. */
  shown?: string;
  /** What is wrong with it, and the way out. */
  problem?: { message: string; hint?: string };
}

/**
 * Looks at every setting by itself, so that a bad one does not hide the others. The settings returned leave the bad ones
 * out, as if they had not been given.
 */
export function inspectSettings(sources: SettingSources) {
  const { layers, problem } = tryLayers(sources);
  const found: FoundSetting[] = Object.values(SETTINGS).map((spec) => findSetting(spec, layers));
  const bad = new Set(found.filter((setting) => setting.problem).map((setting) => setting.env));
  const sound = layers.map(({ values, ...layer }) => ({
    ...layer,
    values: Object.fromEntries(Object.entries(values).filter(([name]) => !bad.has(name))),
  }));
  const unreadable: FoundSetting[] = problem === undefined ? [] : [{ env: ".env", origin: ".env", problem }];
  return {
    found: [...unreadable, ...found],
    /** Names that look like settings and are none. */
    unknown: findUnknownNames(layers),
    settings: readLayers(sound),
    /** Path of the token's file, where it can be used. */
    tokenFile: findGiven(SETTINGS.tokenFile, sound)?.text,
  };
}

function tryLayers(sources: SettingSources): { layers: Layer[]; problem?: { message: string } } {
  try {
    return { layers: toLayers(sources) };
  } catch (error) {
    const { flags = {}, env, file = [] } = sources;
    const layers: Layer[] = [
      { origin: "flag", values: flags },
      { origin: "environment", values: env },
      ...file,
    ];
    return { layers, problem: { message: describeError(error) } };
  }
}

function findSetting(spec: SettingSpec<unknown>, layers: readonly Layer[]): FoundSetting {
  const given = findGiven(spec, layers);
  const origin = given?.origin ?? (spec.default === undefined ? "not set" : "default");
  const found = { env: spec.env, origin, ...(given?.place && { place: given.place }) } as const;
  if (given === undefined) return spec.default === undefined ? found : { ...found, shown: spec.default };
  try {
    const value = spec.parse(given.text);
    if (!spec.isSecret) return { ...found, shown: given.text };
    // The path of a file that was read is no token.
    const from = spec.env === SETTINGS.tokenFile.env ? given.text : "set";
    return { ...found, shown: `${from}, ${String(value).length} characters` };
  } catch (error) {
    return { ...found, problem: { message: describeError(error), hint: `${spec.help}.` } };
  }
}
