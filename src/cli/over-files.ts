import { type Account, settingsOfAccount } from "../config/accounts.ts";
import type { Settings } from "../config/load-settings.ts";
import { fillPlaceholders } from "../delivery/placeholders.ts";
import { type ExitCode, UsageError } from "../errors.ts";
import { accountsOf, type Context } from "./context.ts";
import { overAccounts } from "./over-accounts.ts";

interface OverFilesOptions {
  /** `{account}` in a path stands for the name of each account. */
  paths: readonly string[];
  database?: string;
  /** As in {@link overAccounts}. */
  json?: boolean;
}

/** What a command works with for one account. */
export interface FilesScope {
  context: Context;
  exit: (code: ExitCode) => void;
  settings: Settings;
  files: string[];
}

/**
 * Works on the accounts, each with its own files.
 *
 * @throws UsageError for a file that would be that of several accounts, before any is worked on
 */
export async function overFiles(
  { context, exit }: { context: Context; exit: (code: ExitCode) => void },
  { paths, database, json }: OverFilesOptions,
  work: (scope: FilesScope) => Promise<void> | void,
): Promise<void> {
  const accounts = accountsOf(context, { database });
  if (accounts.length > 1) for (const path of paths) assertOfEach(path, accounts);
  await overAccounts(
    accounts,
    { context, exit },
    ({ account, ...scope }) => {
      const files = paths.map((path) => fillPlaceholders(path, { account: account.name }, ["account"]));
      return work({ ...scope, settings: settingsOfAccount(account), files });
    },
    { json },
  );
}

function assertOfEach(path: string, accounts: readonly Account[]): void {
  if (path.includes("{account}")) return;
  const names = accounts.map(({ name }) => name).join(", ");
  throw new UsageError(`Cannot use one file, ${path}, for ${names}`, {
    hint: "Put {account} in its path, or name one account with --account.",
  });
}
