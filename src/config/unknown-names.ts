import { didYouMean, nearest } from "../base/nearest.ts";
import type { Layer, Origin } from "./setting-layers.ts";
import { ALL_SETTINGS } from "./settings.ts";

export interface UnknownName {
  name: string;
  origin: Origin;
  /** Suggests another setting, or says where they are listed. */
  advice: string;
}

export const CONFIG_VARIABLE = "CALLTALLY_CONFIG";

/** Finds names that begin like settings, or are nearly settings, and have no effect. */
export function findUnknownNames(layers: readonly Layer[]): UnknownName[] {
  const known = ALL_SETTINGS.map(({ env }) => env);
  return layers
    .filter(({ origin }) => origin === "environment" || origin === ".env")
    .flatMap(({ origin, values }) =>
      Object.keys(values)
        .filter((name) => name !== CONFIG_VARIABLE && !known.includes(name))
        .filter((name) => name.toUpperCase().startsWith("CALLTALLY_") || nearest(name, known) !== undefined)
        .map((name) => ({
          name,
          origin,
          advice: didYouMean(name, known) ?? "`calltally docs settings` lists them.",
        })),
    );
}
