import {
  type CalltallyError,
  describeWithHint,
  type ExitCode,
  UsageError,
  worstCode,
} from "../base/errors.ts";
import { stringifyJson } from "../base/text/parse-json.ts";
import type { Account } from "../config/accounts.ts";
import { loadSettings, type Settings } from "../config/load-settings.ts";
import { fillPlaceholders } from "../config/placeholder-names.ts";
import { wordsFor } from "../config/setting-name.ts";
import { errorOf, forEachAccount } from "../reports/accounts/for-each-account.ts";
import { isDamage } from "../warehouse/file/sqlite-errors.ts";
import { accountsOf, onlyOf } from "./chosen-accounts.ts";
import type { Context } from "./context.ts";

export interface Result {
  /** Printed with `--json`, in place of the texts. */
  data?: unknown;
  /** What the user asked to read. */
  text?: string | undefined;
  /** What was done; not printed with `--quiet`. */
  summary?: string | undefined;
  /** Remarks on standard error; not printed with `--quiet`. */
  notes?: readonly string[];
  /** Problems that are not thrown, on standard error. */
  errors?: readonly string[];
  /** @default 0 */
  exit?: ExitCode;
}

export type PendingResult = Result | Promise<Result>;

export interface AccountScope {
  account: Account;
  readonly settings: Settings;
  /** Prints a remark at once, below the account's name if there are several. */
  note: (text: string) => void;
}

/** Each sync holds pages of its calls in memory. */
export const SYNCS_AT_ONCE = 4;

/** Returns an action for commander that prints a handler's result. */
export function action<Args extends unknown[]>(context: Context, handler: (...args: Args) => PendingResult) {
  return async (...args: Args): Promise<void> => {
    try {
      show(context, await handler(...args));
    } catch (error) {
      const only = isDamage(error) ? onlyOf(accountsOf(context)) : undefined;
      throw only === undefined ? error : errorOf(only, error);
    }
  };
}

/** Returns an action that runs the handler for each account. */
export function perAccount<Args extends unknown[]>(
  context: Context,
  handler: (scope: AccountScope, ...args: Args) => PendingResult,
) {
  return action(context, (...args: Args) =>
    overAccounts(context, accountsOf(context), (scope) => handler(scope, ...args)),
  );
}

/** Prints a result, and sets the exit code. */
export function show(context: Context, { data, notes = [], errors = [], exit, ...texts }: Result): void {
  if (context.options.json && data !== undefined) context.print(stringifyJson(data));
  else for (const text of shownTexts(context, texts)) context.print(text);
  for (const text of notes) note(context, text);
  for (const text of errors) context.complain(`calltally: ${text}`);
  if (exit !== undefined) context.exit(exit);
}

/** Prints a remark on standard error, unless `--quiet` was given. */
export function note(context: Context, text: string): void {
  if (!context.options.quiet) context.complain(text);
}

/**
 * Works on accounts independently, and prints each result. The exit code is the worst of all. A single account prints
 * and throws as if there were no others.
 * @param options.atOnce accounts worked on concurrently
 * @param options.beforePrint called before anything is printed, to clear a progress bar
 * @throws InterruptedError when the signal aborts, after printing what was done until then
 */
export async function overAccounts(
  context: Context,
  accounts: readonly Account[],
  work: (scope: AccountScope) => PendingResult,
  { atOnce = 1, beforePrint = () => {} } = {},
): Promise<Result> {
  const only = onlyOf(accounts);
  if (only !== undefined) return await work(toScope(only, (text) => note(context, text)));
  const { signal, options } = context;
  const results = new Map<Account, Result>();
  let printed = 0;
  const complain = ({ name }: Account, text: string) => {
    beforePrint();
    for (const line of text.split("\n")) context.complain(`${name}: ${line}`);
  };
  const noteOn = (account: Account, text: string) => void (options.quiet || complain(account, text));
  const workOn = (account: Account) => work(toScope(account, (text) => noteOn(account, text)));
  try {
    for await (const ended of forEachAccount(accounts, workOn, { signal, atOnce })) {
      if ("error" in ended && signal.aborted) continue;
      const { account } = ended;
      const result: Result = "error" in ended ? toResult(account, ended.error) : ended.value;
      results.set(account, result);
      beforePrint();
      const texts = options.json ? [] : shownTexts(context, result);
      if (texts.length > 0)
        context.print([...(printed++ > 0 ? [""] : []), account.name ?? "", ...texts].join("\n"));
      for (const text of result.notes ?? []) noteOn(account, text);
      for (const text of result.errors ?? []) complain(account, text);
    }
  } finally {
    const shown = accounts.flatMap((account) => {
      const data = results.get(account)?.data;
      return data === undefined ? [] : [[account.name ?? "", data]];
    });
    show(context, { data: Object.fromEntries(shown) });
  }
  return { exit: worstCode([...results.values()].map(({ exit = 0 }) => exit)) };
}

/** Returns an error of an account as one of several results. */
export function toResult({ sources }: Account, error: CalltallyError) {
  const words = wordsFor(sources);
  const { exitCode: exit, message } = error;
  const data = { error: { exit_code: exit, message, hint: error.hintIn(words) } };
  return { data, errors: [describeWithHint(error, words)], exit };
}

function shownTexts({ options }: Context, { text, summary }: Result): string[] {
  return [text, options.quiet ? undefined : summary].filter((shown) => shown !== undefined);
}

function toScope(account: Account, noteOwn: AccountScope["note"]): AccountScope {
  return {
    account,
    get settings() {
      return loadSettings(account.sources);
    },
    note: noteOwn,
  };
}

/**
 * Works on the accounts, each with its own files.
 * @param paths may contain `{account}`
 * @throws UsageError for a file that several accounts would share, before any is worked on
 */
export function overFiles(
  context: Context,
  paths: readonly string[],
  work: (scope: AccountScope, files: string[]) => PendingResult,
): ReturnType<typeof overAccounts> {
  const accounts = accountsOf(context);
  if (accounts.length > 1) for (const path of paths) assertOfEach(path, accounts);
  return overAccounts(context, accounts, (scope) => {
    const { name } = scope.account;
    const files = paths.map((path) => fillPlaceholders(path, { account: name }, ["account"]));
    return work(scope, files);
  });
}

function assertOfEach(path: string, accounts: readonly Account[]): void {
  if (path.includes("{account}")) return;
  const names = accounts.map(({ name }) => name).join(", ");
  throw new UsageError(`Cannot use one file, ${path}, for ${names}`, {
    hint: "Put {account} in its path, or name one account with --account.",
  });
}
