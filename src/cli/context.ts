import { resolve } from "node:path";
import {
  type Account,
  type Configuration,
  chooseAccounts,
  configurationWithoutFile,
  findFile,
  settingsOfAccount,
} from "../config/accounts.ts";
import type { Settings } from "../config/load-settings.ts";
import { findGiven, type SettingSources } from "../config/setting-layers.ts";
import { remarkOnSettings } from "../config/setting-remarks.ts";
import { SETTINGS } from "../config/settings.ts";
import { UsageError } from "../errors.ts";
import { realFile } from "../folder.ts";

/** What a command knows of the world it was started in. */
export interface Context {
  env: Readonly<Record<string, string | undefined>>;
  /** The working folder. */
  folder: string;
  /** Aborts on SIGINT and SIGTERM. */
  signal: AbortSignal;
  /** What a person asked to read, and JSON, on standard output; what cannot be printed is escaped, as in JSON. */
  print: (text: string) => void;
  /** Data in bytes, which a terminal shows escaped as well; resolves when more may follow. */
  write: (chunk: Buffer) => Promise<void>;
  /** A summary of what was done, on standard output; nothing with `--quiet`. */
  tell: (text: string) => void;
  /** A remark, on standard error; nothing with `--quiet`. */
  note: (text: string) => void;
  /** What went wrong, on standard error. */
  complain: (text: string) => void;
  /** Whether `--quiet` was given: known once the arguments are read. */
  quiet: boolean;
  /** The file of accounts and reports that `--config` names. */
  configFile?: string | undefined;
  /** The accounts that `--account` names: known once the arguments are read. @default all */
  accounts?: readonly string[] | undefined;
  /** What {@link loadConfiguration} has found. */
  configuration?: Configuration | undefined;
}

/** Flags that stand for settings, as the commands' parsers give them. */
export interface SettingFlags {
  database?: string | undefined;
  out?: string | undefined;
  limit?: string | undefined;
  concurrency?: string | undefined;
  timezone?: string | undefined;
  publishTo?: string | undefined;
}

/** Set for the process that runs a query, to the id of the one that watches over it. */
export const QUERY_PARENT = "CALLTALLY_QUERY_PARENT";

/**
 * Reads the file of accounts and reports, where there is one; its libraries are loaded only then.
 *
 * @throws UsageError that says all that is wrong with it
 */
export async function loadConfiguration(context: Context): Promise<Configuration> {
  const sources = { env: context.env, folder: context.folder };
  const path = findFile(context.configFile, sources);
  if (path === undefined) context.configuration = configurationWithoutFile(sources);
  else {
    const { readConfiguration } = await import("../config/read-configuration.ts");
    context.configuration = readConfiguration(path, sources);
  }
  return context.configuration;
}

/** Returns what {@link loadConfiguration} has found. */
export function configurationOf({ configuration, env, folder }: Context): Configuration {
  return configuration ?? configurationWithoutFile({ env, folder });
}

/**
 * Returns the accounts to work on: those that `--account` names, the one whose warehouse `--database` names, or all.
 *
 * @throws UsageError for a name that no account has, and for flags that only one account can have
 */
export function accountsOf(context: Context, flags: SettingFlags = {}): readonly Account[] {
  const configuration = configurationOf(context);
  const { accounts: names = [] } = context;
  const chosen =
    names.length === 0 && flags.database !== undefined
      ? [ownerOf(flags.database, configuration)]
      : chooseAccounts(configuration, names);
  const onlyOne = flags.database !== undefined ? "--database" : flags.out !== undefined ? "--out" : undefined;
  if (onlyOne !== undefined && chosen.length > 1) {
    throw new UsageError(`${onlyOne} is for one account, and there are ${namesOf(chosen)}`, {
      hint: "Name one with --account.",
    });
  }
  return chosen.map((account) => ({
    ...account,
    sources: { ...account.sources, flags: toValues(flags) },
  }));
}

/**
 * Returns the accounts of a cluster to ask for: those that `--account` names, or those of the file. One without a name
 * stands for all that the cluster has.
 */
export function engineAccountsOf(context: Context, flags: SettingFlags = {}): readonly Account[] {
  const { accounts, shared } = configurationOf(context);
  if (accounts.some(({ name }) => name !== undefined)) return accountsOf(context, flags);
  const sources = { ...shared, flags: toValues(flags) };
  return (context.accounts ?? [undefined]).map((name) => ({ name, sources }));
}

/** The account that has this warehouse; a file that is none's is looked at without an address and a token. */
function ownerOf(database: string, { accounts, shared }: Configuration): Account {
  const [first, ...others] = accounts;
  if (first !== undefined && first.name === undefined && others.length === 0) return first;
  const owner = accounts.find(({ sources }) => {
    const given = findGiven(SETTINGS.database, sources.file ?? []);
    return given !== undefined && realFile(resolve(sources.folder, given.text)) === realFile(database);
  });
  return owner ?? { name: undefined, sources: shared };
}

/**
 * Returns the account of a command that works on one.
 *
 * @throws UsageError where there are several, and none is named
 */
function accountOf(context: Context, flags: SettingFlags = {}): Account {
  const [account, ...others] = accountsOf(context, flags);
  if (account !== undefined && others.length === 0) return account;
  throw new UsageError(
    `This command works on one account, and there are ${namesOf(account ? [account, ...others] : [])}`,
    { hint: `Name one, e.g. --account ${account?.name}` },
  );
}

function namesOf(accounts: readonly Account[]): string {
  return accounts.map(({ name }) => name).join(", ");
}

/** Reads the settings of the one account; flags of the command take precedence over all other sources. */
export function settingsOf(context: Context, flags: SettingFlags = {}): Settings {
  return settingsOfAccount(accountOf(context, flags));
}

/** Returns what is odd about the settings and yet no error, a sentence each. */
export function remarksOf(
  context: Context,
  flags: SettingFlags & { engine?: string | undefined } = {},
): string[] {
  const isAsked = context.env[QUERY_PARENT] !== undefined; // who asked has said so
  if (isAsked) return [];
  // Whether one folder will do for several accounts, the command itself knows.
  const given = { ...flags, out: undefined };
  const accounts = flags.engine === undefined ? accountsOf(context, given) : engineAccountsOf(context, given);
  return [...new Set(accounts.flatMap(({ sources }) => remarkOnSettings(sources)))];
}

function toValues(flags: SettingFlags): NonNullable<SettingSources["flags"]> {
  return {
    [SETTINGS.database.env]: flags.database,
    [SETTINGS.exportDir.env]: flags.out,
    [SETTINGS.limit.env]: flags.limit,
    [SETTINGS.concurrency.env]: flags.concurrency,
    [SETTINGS.timezone.env]: flags.timezone,
    [SETTINGS.publishTo.env]: flags.publishTo,
  };
}

/** Options that several commands share, as commander writes them. */
export const OPTION = {
  database: ["--database <file>", "the warehouse file (CALLTALLY_DATABASE, data/calltally.db)"],
  out: ["--out <folder>", "folder for the files (CALLTALLY_EXPORT_DIR, data/exports)"],
  json: ["--json", "print JSON"],
  engine: [
    "--engine <url>",
    "compute the figures on a ClickHouse cluster that `publish` fills: clickhouse://[user@]host[:port],…/database",
  ],
} as const;
