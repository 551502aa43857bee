import { UsageError } from "../base/errors.ts";
import type { Account } from "../config/accounts.ts";
import { fillPlaceholders } from "../delivery/placeholders.ts";
import { accountsOf } from "./chosen-accounts.ts";
import type { Context } from "./context.ts";
import { type AccountScope, overAccounts, type Returned } from "./frame.ts";

/**
 * Works on the accounts, each with its own files.
 *
 * @param paths in which `{account}` stands for the name of each account
 * @throws UsageError for a file that several accounts would share, before any is worked on
 */
export function overFiles(
  context: Context,
  paths: readonly string[],
  work: (scope: AccountScope, files: string[]) => Returned,
): ReturnType<typeof overAccounts> {
  const accounts = accountsOf(context);
  if (accounts.length > 1) for (const path of paths) assertOfEach(path, accounts);
  return overAccounts(context, accounts, (scope) => {
    const { name } = scope.account;
    return work(
      scope,
      paths.map((path) => fillPlaceholders(path, { account: name }, ["account"])),
    );
  });
}

function assertOfEach(path: string, accounts: readonly Account[]): void {
  if (path.includes("{account}")) return;
  const names = accounts.map(({ name }) => name).join(", ");
  throw new UsageError(`Cannot use one file, ${path}, for ${names}`, {
    hint: "Put {account} in its path, or name one account with --account.",
  });
}
