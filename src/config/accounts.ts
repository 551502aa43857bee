import { statSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../base/errors.ts";
import { didYouMean } from "../base/text/nearest.ts";
import type { CalltallyFile } from "./calltally-file.ts";
import { CONFIG_VARIABLE, readDotenv, type SettingSources } from "./setting-layers.ts";

const DEFAULT_FILE = "calltally.yaml";

export interface Account {
  /** Undefined for the single account of the environment. */
  name: string | undefined;
  sources: SettingSources;
}

/** An account of calltally.yaml. */
export type NamedAccount = Account & { name: string };

export interface Configuration {
  /** Undefined if there is none. */
  file: CalltallyFile | undefined;
  /** In the order of the file, or the one of the environment. */
  accounts: readonly Account[];
  /** Settings of all accounts, without any address and token. */
  shared: SettingSources;
  /** Concurrent requests to one host by all accounts; no limit for the account of the environment. */
  hostRequests: number;
}

export function configurationWithoutFile(sources: SettingSources): Configuration {
  const accounts = [{ name: undefined, sources }];
  return { file: undefined, accounts, shared: sources, hostRequests: Number.POSITIVE_INFINITY };
}

/** @param named by `--config`; otherwise by the environment or `.env`, else the one in the working folder */
export function findFile(named: string | undefined, { env, folder }: SettingSources): string | undefined {
  const path = named ?? (env[CONFIG_VARIABLE] || readDotenv(folder)[CONFIG_VARIABLE]);
  if (path === "")
    throw new UsageError("--config is empty", { hint: "Name a file, such as calltally.yaml." });
  if (path !== undefined) return path;
  return statSync(join(folder, DEFAULT_FILE), { throwIfNoEntry: false }) && DEFAULT_FILE;
}

/** @param names @default all @throws UsageError that lists the names, with a suggestion */
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
        hint: "Leave out --account: without accounts in the file, the only one is that of the environment.",
      });
    }
    throw new UsageError(`There is no account ${name}: ${file?.name} has ${known.join(", ")}`, {
      hint: didYouMean(name, known) ?? "Name one of them, or leave out --account for all.",
    });
  }
  return accounts.filter(({ name }) => name !== undefined && names.includes(name));
}
