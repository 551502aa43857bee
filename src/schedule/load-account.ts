import { describeError } from "../base/errors.ts";
import type { Account } from "../config/accounts.ts";
import { inspectSettings, loadSettings } from "../config/load-settings.ts";
import { toSyncOptions } from "../sync/sync-options.ts";
import type { DaemonAccount } from "./daemon/account-watch.ts";

/** A setting that would fail every sync throws; with several accounts it becomes a `problem` to be corrected. */
export function loadAccount(account: Account, args: readonly string[]): DaemonAccount & { problem?: string } {
  const { name } = account;
  const named = name === undefined ? { name, args } : { name, args: [...args, "--account", name] };
  try {
    const settings = loadSettings(account.sources);
    toSyncOptions(settings);
    return { ...named, settings };
  } catch (error) {
    if (name === undefined) throw error;
    return { ...named, settings: inspectSettings(account.sources).settings, problem: describeError(error) };
  }
}
