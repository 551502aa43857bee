import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { UsageError } from "../errors.ts";
import type { SettingSpec } from "./settings.ts";

export interface SettingSources {
  /** Values given as flags, by the names of their environment variables. */
  flags?: Readonly<Record<string, string | undefined>>;
  env: Readonly<Record<string, string | undefined>>;
  /** Folder whose `.env` is read. */
  folder: string;
}

export type Origin = "flag" | "environment" | ".env";

/** Values that were given in one place, by the names of their environment variables. */
export interface Layer {
  origin: Origin;
  values: Readonly<Record<string, string | undefined>>;
}

/** Returns the text of a setting from the first layer that has one, and which layer that is. */
export function findGiven(spec: SettingSpec<unknown>, layers: readonly Layer[]) {
  const layer = layers.find(({ values }) => values[spec.env]);
  const text = layer?.values[spec.env];
  return layer === undefined || text === undefined ? undefined : { origin: layer.origin, text };
}

/**
 * Reads the values of a folder's `.env`; none where there is no such file.
 *
 * @throws UsageError where it cannot be read
 */
export function readDotenv(folder: string): Record<string, string | undefined> {
  const file = join(folder, ".env");
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return {};
  try {
    return parseEnv(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new UsageError("Cannot read .env", { cause });
  }
}
