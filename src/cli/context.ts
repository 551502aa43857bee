import { loadSettings, type Settings } from "../config/load-settings.ts";
import type { SettingSources } from "../config/setting-layers.ts";
import { remarkOnSettings } from "../config/setting-remarks.ts";
import { SETTINGS } from "../config/settings.ts";

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
}

/** Flags that stand for settings, as the commands' parsers give them. */
export interface SettingFlags {
  database?: string | undefined;
  out?: string | undefined;
  limit?: string | undefined;
  concurrency?: string | undefined;
  timezone?: string | undefined;
}

/** Set for the process that runs a query, to the id of the one that watches over it. */
export const QUERY_PARENT = "CALLTALLY_QUERY_PARENT";

/** Reads the settings; flags of the command take precedence over all other sources. */
export function settingsOf(context: Context, flags: SettingFlags = {}): Settings {
  return loadSettings(sourcesOf(context, flags));
}

/** Returns what is odd about the settings and yet no error, a sentence each. */
export function remarksOf(context: Context, flags: SettingFlags = {}): string[] {
  const isAsked = context.env[QUERY_PARENT] !== undefined; // who asked has said so
  return isAsked ? [] : remarkOnSettings(sourcesOf(context, flags));
}

function sourcesOf({ env, folder }: Context, flags: SettingFlags): SettingSources {
  return {
    env,
    folder,
    flags: {
      [SETTINGS.database.env]: flags.database,
      [SETTINGS.exportDir.env]: flags.out,
      [SETTINGS.limit.env]: flags.limit,
      [SETTINGS.concurrency.env]: flags.concurrency,
      [SETTINGS.timezone.env]: flags.timezone,
    },
  };
}

/** Options that several commands share, as commander writes them. */
export const OPTION = {
  database: ["--database <file>", "the warehouse file (CALLTALLY_DATABASE, data/calltally.db)"],
  out: ["--out <folder>", "folder for the files (CALLTALLY_EXPORT_DIR, data/exports)"],
  json: ["--json", "print JSON"],
} as const;
