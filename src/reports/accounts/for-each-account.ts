import type { CalltallyError } from "../../base/errors.ts";
import { toCalltallyError } from "../../base/known-error.ts";
import type { Account } from "../../config/accounts.ts";
import { inspectSettings } from "../../config/load-settings.ts";
import { nameDamage } from "../../warehouse/file/sqlite-errors.ts";

/** What the work on an account returned, or why it failed. */
export type AccountResult<A extends Account, T> = { account: A } & ({ value: T } | { error: CalltallyError });

/**
 * Works on accounts, and yields each result when it is there: an error of one account does not stop the others. A
 * reader that stops begins no more accounts, and neither does an abort.
 * @param options.atOnce accounts worked on concurrently; with one, results have the order of the accounts
 * @throws the reason of an abort, after the last result
 */
export async function* forEachAccount<A extends Account, T>(
  accounts: readonly A[],
  work: (account: A) => T | Promise<T>,
  { signal, atOnce = 1 }: { signal?: AbortSignal; atOnce?: number } = {},
): AsyncGenerator<AccountResult<A, T>, void, undefined> {
  const running = new Map<A, Promise<AccountResult<A, T>>>();
  const takeFirst = async () => {
    const result = await Promise.race(running.values());
    running.delete(result.account);
    return result;
  };
  for (const account of accounts) {
    if (running.size >= atOnce) yield await takeFirst();
    if (signal?.aborted) break;
    running.set(account, tryAccount(account, work));
  }
  while (running.size > 0) yield await takeFirst();
  signal?.throwIfAborted();
}

/** Works on one account. */
export async function tryAccount<A extends Account, T>(
  account: A,
  work: (account: A) => T | Promise<T>,
): Promise<AccountResult<A, T>> {
  try {
    return { account, value: await work(account) };
  } catch (thrown) {
    return { account, error: errorOf(account, thrown) };
  }
}

/** @throws CalltallyError if the work on the account failed */
export function valueOrThrow<T>(result: AccountResult<Account, T>): T {
  if ("error" in result) throw result.error;
  return result.value;
}

/** Returns an error of the work on an account; damage names its warehouse, and is noted for later commands. */
export function errorOf({ sources }: Account, thrown: unknown): CalltallyError {
  return toCalltallyError(nameDamage(thrown, inspectSettings(sources).settings.database));
}
