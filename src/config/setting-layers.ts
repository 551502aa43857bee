import { statSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { UsageError } from "../base/errors.ts";
import { assertUnwritable, readTextFile } from "./files/text-file.ts";
import type { Setting } from "./setting.ts";

export const CONFIG_VARIABLE = "CALLTALLY_CONFIG";

export interface SettingSources {
  /** Values of flags, by environment variable. */
  flags?: Readonly<Record<string, string | undefined>>;
  env: Readonly<Record<string, string | undefined>>;
  folder: string;
  /** From `calltally.yaml`: an account, and defaults for all. @default none */
  file?: readonly Layer[];
  /** The warehouses of all accounts. @default none */
  accounts?: readonly { account: string; database: string }[];
}

export type Origin = "flag" | "environment" | ".env" | "calltally.yaml" | "default";

export interface Layer {
  origin: Origin;
  values: Readonly<Record<string, string | undefined>>;
  /** Positions in a file, such as `calltally.yaml:12:5: accounts.austin.timezone`. */
  places?: Readonly<Record<string, string>>;
}

export interface SettingText {
  origin: Origin;
  text: string;
  place?: string | undefined;
}

/** Earlier layers take precedence. @throws UsageError if `.env` cannot be read */
export function toLayers({ flags = {}, env, folder, file = [] }: SettingSources): Layer[] {
  return [
    { origin: "flag", values: flags },
    { origin: "environment", values: env },
    { origin: ".env", values: readDotenv(folder) },
    ...file,
  ];
}

/** An empty value counts as none, except in a flag: there it is an unset shell variable. */
export function findGiven({ env }: Setting, layers: readonly Layer[]): SettingText | undefined {
  for (const { origin, values, places } of layers) {
    const text = values[env];
    if (text || (origin === "flag" && text === "")) return { origin, text, place: places?.[env] };
  }
  return undefined;
}

/** @throws UsageError if the file cannot be read, or has settings and others can write it */
export function readDotenv(folder: string): Record<string, string | undefined> {
  const file = join(folder, ".env");
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return {};
  const text = readTextFile(file, ".env");
  const values = parseEnv(text);
  for (const [index, line] of text.split("\n").entries()) {
    const [, name] = /^\s*(?:export\s+)?(CALLTALLY_\w+)/.exec(line) ?? [];
    if (name === undefined || name in values) continue;
    throw new UsageError(`Cannot use .env: line ${index + 1} does not set ${name}`, {
      hint: `Write it as ${name}=…, with quotes around a value that has spaces.`,
    });
  }
  // The `.env` of another program in the same folder decides nothing here.
  if (Object.keys(values).some((name) => name.startsWith("CALLTALLY_"))) assertUnwritable(file, ".env");
  return values;
}
