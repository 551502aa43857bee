import { resolve } from "node:path";
import { UsageError } from "../base/errors.ts";
import { realFile } from "../base/folder.ts";
import {
  type Account,
  type Configuration,
  chooseAccounts,
  configurationWithoutFile,
  findFile,
} from "../config/accounts.ts";
import { loadSettings, type Settings } from "../config/load-settings.ts";
import { fillPlaceholders } from "../config/placeholder-names.ts";
import { findGiven, type SettingSources } from "../config/setting-layers.ts";
import { remarkOnSettings } from "../config/setting-remarks.ts";
import { ALL_SETTINGS, SETTINGS } from "../config/settings.ts";
import { CONFIG_TEXT, type CommonOptions, type Context, QUERY_PARENT } from "./context.ts";

/**
 * Reads the file of accounts and reports, if any, and only then loads its libraries.
 * @throws UsageError that lists all problems
 */
export async function loadConfiguration(context: Context): Promise<Configuration> {
  const sources = { env: context.env, folder: context.folder };
  const path = findFile(context.options.config, sources);
  if (path === undefined) context.configuration = configurationWithoutFile(sources);
  else {
    const { readConfiguration } = await import("../config/read-configuration.ts");
    context.configuration = readConfiguration(path, sources, context.env[CONFIG_TEXT]);
  }
  return context.configuration;
}

export function configurationOf({ configuration, env, folder }: Context): Configuration {
  return configuration ?? configurationWithoutFile({ env, folder });
}

/**
 * Returns the accounts to work on: those of `--account`, the one whose warehouse is `--database`, or all; for a
 * cluster, one without a name means all that it has.
 * @param options.isFolderShared whether the accounts write to one folder. @default `--out` is for one account
 * @throws UsageError for an unknown name, and for options that only one account can have
 */
export function accountsOf(
  context: Context,
  { isFolderShared = false }: { isFolderShared?: boolean } = {},
): readonly Account[] {
  const configuration = configurationOf(context);
  const options = isFolderShared ? { ...context.options, out: undefined } : context.options;
  const { account: names = [], database, out, engine } = options;
  const flags = toValues(options);
  if (engine !== undefined && configuration.accounts.every(({ name }) => name === undefined)) {
    const sources = { ...configuration.shared, flags };
    return names.length === 0 ? [{ name: undefined, sources }] : names.map((name) => ({ name, sources }));
  }
  const chosen =
    names.length === 0 && database !== undefined
      ? [ownerOf(database, configuration)]
      : chooseAccounts(configuration, names);
  const isOfEach = out?.includes("{account}") ?? false;
  const onlyOne =
    database !== undefined ? "--database" : out !== undefined && !isOfEach ? "--out" : undefined;
  if (onlyOne !== undefined && chosen.length > 1) {
    throw new UsageError(`${onlyOne} is for one account, but there are ${namesOf(chosen)}`, {
      hint: `Name one with --account${onlyOne === "--out" ? ", or put {account} in the path" : ""}.`,
    });
  }
  return chosen.map((account) => {
    if (out === undefined || !isOfEach) return { ...account, sources: { ...account.sources, flags } };
    const folder = fillPlaceholders(out, { account: account.name }, ["account"]);
    const ofAccount = { ...flags, [SETTINGS.exportDir.env]: folder };
    return { ...account, sources: { ...account.sources, flags: ofAccount } };
  });
}

/** The account with this warehouse; a file of no account is used without an address and a token. */
function ownerOf(database: string, { accounts, shared }: Configuration): Account {
  const only = onlyOf(accounts);
  if (only !== undefined && only.name === undefined) return only;
  const owner = accounts.find(({ sources }) => {
    const setting = findGiven(SETTINGS.database, sources.file ?? []);
    return setting !== undefined && realFile(resolve(sources.folder, setting.text)) === realFile(database);
  });
  return owner ?? { name: undefined, sources: shared };
}

/**
 * Returns the account of a command that works on one.
 * @param forAll a flag by which the command works on all
 * @throws UsageError if there are several, and none is named
 */
export function onlyAccountOf(context: Context, forAll?: string): Account {
  const accounts = accountsOf(context);
  const only = onlyOf(accounts);
  if (only !== undefined) return only;
  throw new UsageError(`This command works on one account, but there are ${namesOf(accounts)}`, {
    hint: `Name one, e.g. --account ${accounts[0]?.name}${forAll === undefined ? "" : `, or add ${forAll}`}`,
  });
}

/** Undefined if there are several, or none. */
export function onlyOf<T>([first, ...others]: readonly T[]): T | undefined {
  return others.length === 0 ? first : undefined;
}

function namesOf(accounts: readonly Account[]): string {
  return accounts.map(({ name }) => name).join(", ");
}

export function settingsOf(context: Context, forAll?: string): Settings {
  return loadSettings(onlyAccountOf(context, forAll).sources);
}

export function remarksOf(context: Context): string[] {
  if (context.env[QUERY_PARENT] !== undefined) return []; // the parent has printed them
  // The command itself knows whether several accounts can share one folder.
  const accounts = accountsOf(context, { isFolderShared: true });
  return [...new Set(accounts.flatMap(({ sources }) => remarkOnSettings(sources)))];
}

function toValues(options: CommonOptions): NonNullable<SettingSources["flags"]> {
  const texts = new Map(Object.entries(options));
  return Object.fromEntries(
    ALL_SETTINGS.flatMap(({ env, flag, option = /\w+/.exec(flag ?? "")?.[0] }) =>
      option === undefined ? [] : [[env, texts.get(option)]],
    ),
  );
}
