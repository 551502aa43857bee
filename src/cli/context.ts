import type { ExitCode } from "../base/errors.ts";
import type { Configuration } from "../config/accounts.ts";
import type { Setting } from "../config/setting.ts";
import { SETTINGS } from "../config/settings.ts";

/** The process of a command, and the options common to all commands. */
export interface Context {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  /** Aborts on SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
  /** Writes text to standard output, with unprintable characters escaped as in JSON. */
  readonly print: (text: string) => void;
  /** Writes bytes to standard output, escaped on a terminal; resolves when more may follow. */
  readonly write: (chunk: Buffer) => Promise<void>;
  readonly complain: (text: string) => void;
  readonly exit: (code: ExitCode) => void;
  /** The options of the given command; empty until its arguments are parsed. */
  options: CommonOptions;
  configuration?: Configuration | undefined;
}

/** Options with the same meaning in every command, by their names in commander. */
export interface CommonOptions {
  quiet?: boolean | undefined;
  json?: boolean | undefined;
  /** The file of accounts and reports. */
  config?: string | undefined;
  /** The accounts to work on. @default all */
  account?: readonly string[] | undefined;
  engine?: string | undefined;
  database?: string | undefined;
  out?: string | undefined;
}

/** Set for a job of the schedule, to the text of calltally.yaml that the schedule uses: the file may have been edited since. */
export const CONFIG_TEXT = "CALLTALLY_CONFIG_TEXT";

/** Set for a process that runs a query or a call of an assistant, to the id of its watching process. */
export const QUERY_PARENT = "CALLTALLY_QUERY_PARENT";

/** Returns a setting's flag and help for commander. */
export function flagOf<const F extends string>(setting: Setting & { flag: F }) {
  const { flag, help, env, default: fallback } = setting;
  const text = help.replace(/^[A-Z](?=[a-z]*[^A-Za-z])/, (first) => first.toLowerCase());
  return [flag, `${text} (${fallback === undefined ? env : `${env}, ${fallback}`})`] as const;
}

/** Options that several commands share, in commander's syntax. */
export const OPTION = {
  begin: [
    "--begin",
    "first begin a warehouse where there is none; without this, a job takes a missing one for lost",
  ],
  database: flagOf(SETTINGS.database),
  out: flagOf(SETTINGS.exportDir),
  timezone: flagOf(SETTINGS.timezone),
  replace: ["--replace", "replace a file of another kind, but never a warehouse or a file that is read"],
  json: ["--json", "print JSON"],
  engine: [
    "--engine <url>",
    "compute the figures on a ClickHouse cluster that `publish` fills: clickhouse://[user@]host[:port],…/database",
  ],
} as const;

/** A context for commands that are only read or tested: nothing is printed. */
export function silentContext(overrides: Partial<Context> = {}): Context {
  return {
    env: {},
    folder: ".",
    signal: new AbortController().signal,
    print: () => {},
    write: () => Promise.resolve(),
    complain: () => {},
    exit: () => {},
    options: {},
    ...overrides,
  };
}
