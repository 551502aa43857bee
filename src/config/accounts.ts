import { statSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../base/errors.ts";
import { didYouMean } from "../base/nearest.ts";
import type { CalltallyFile } from "./calltally-file.ts";
import { readDotenv, type SettingSources } from "./setting-layers.ts";
import { CONFIG_VARIABLE } from "./unknown-names.ts";

const DEFAULT_FILE = "calltally.yaml";

export interface Account {
  /** Undefined for the one account of the environment, where no file names any. */
  name: string | undefined;
  sources: SettingSources;
}

export interface Configuration {
  /** Undefined where there is none. */
  file: CalltallyFile | undefined;
  /** In the order of the file; the one of the environment where that names none. */
  accounts: readonly Account[];
  /** What holds for all accounts, with the address and token of none. */
  shared: SettingSources;
  /** Requests to one host at once, by all accounts together; no limit where there is one account, of the environment. */
  hostRequests: number;
}

export function configurationWithoutFile(sources: SettingSources): Configuration {
  const accounts = [{ name: undefined, sources }];
  return { file: undefined, accounts, shared: sources, hostRequests: Number.POSITIVE_INFINITY };
}

/** `named` by `--config`, else by the environment or `.env`; else the one of the working folder, if any. */
export function findFile(named: string | undefined, { env, folder }: SettingSources): string | undefined {
  const path = named ?? (env[CONFIG_VARIABLE] || readDotenv(folder)[CONFIG_VARIABLE]);
  if (path === "")
    throw new UsageError("--config is empty", { hint: "Name a file, such as calltally.yaml." });
  if (path !== undefined) return path;
  return statSync(join(folder, DEFAULT_FILE), { throwIfNoEntry: false }) && DEFAULT_FILE;
}

/** Without names, all. Throws UsageError that lists the names, and says which was probably meant. */
export function chooseAccounts(
  { accounts, file }: Pick<Configuration, "accounts" | "file">,
  names: readonly string[],
): readonly Account[] {
  if (names.length === 0) return accounts;
  const known = accounts.flatMap(({ name }) => name ?? []);
  for (const name of names) {
    if (known.includes(name)) continue;
    if (known.length === 0) {
      throw new UsageError(`There is no account ${name}: ${file?.name ?? DEFAULT_FILE} names none`, {
        hint: "Without accounts in the file there is one, of the environment: leave out --account.",
      });
    }
    throw new UsageError(`There is no account ${name}: ${file?.name} has ${known.join(", ")}`, {
      hint: didYouMean(name, known),
    });
  }
  return accounts.filter(({ name }) => name !== undefined && names.includes(name));
}
