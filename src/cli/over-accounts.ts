import pLimit from "p-limit";
import type { Account } from "../config/accounts.ts";
import { type CalltallyError, type ExitCode, worstCode } from "../errors.ts";
import type { Context } from "./context.ts";
import { printError } from "./print-error.ts";

/** What a command works with for one account. */
export interface AccountScope {
  account: Account;
  /** Has this account alone; prints below its name, where there are several. */
  context: Context;
  exit: (code: ExitCode) => void;
}

interface OverAccountsOptions {
  /** Whether the command prints one JSON text for each account: they become one object, by account. @default false */
  json?: boolean | undefined;
  /** Accounts worked on side by side. @default 1 */
  atOnce?: number;
  /** Is called before anything is printed, to take what is drawn on the terminal away. */
  onPrint?: () => void;
}

/**
 * Works on accounts, each by itself: what goes wrong with one is said, and stops no other. Ends with the worst code. One
 * account alone prints, and throws, as if there were no others.
 *
 * @throws InterruptedError when the signal aborts, after what was done until then has been printed
 */
export async function overAccounts(
  accounts: readonly Account[],
  { context, exit }: { context: Context; exit: (code: ExitCode) => void },
  work: (scope: AccountScope) => Promise<void> | void,
  { json = false, atOnce = 1, onPrint = () => {} }: OverAccountsOptions = {},
): Promise<void> {
  const [only, ...others] = accounts;
  if (only !== undefined && others.length === 0) return await work({ account: only, context, exit });
  const codes = new Set<ExitCode>();
  const texts = new Map<string, string>();
  let printed = 0;
  await pLimit(atOnce).map(accounts, async (account) => {
    if (context.signal.aborted) return;
    const name = account.name ?? "";
    const page = openPage(context, name);
    try {
      await work({ account, context: page.context, exit: (code) => codes.add(code) });
    } catch (thrown) {
      if (context.signal.aborted) return;
      const error = printError(page.context, thrown);
      codes.add(error.exitCode);
      if (json) page.context.print(JSON.stringify({ error: errorToJson(error) }));
    } finally {
      onPrint();
      if (json) texts.set(name, page.lastText());
      else page.print(printed++ > 0);
      page.complain();
    }
  });
  if (json) {
    // In the order of the file, whichever ended first.
    const members = accounts.flatMap(({ name = "" }) => {
      const text = texts.get(name);
      return text === undefined || text === "" ? [] : [`${JSON.stringify(name)}:${text}`];
    });
    context.print(`{${members.join()}}`);
  }
  context.signal.throwIfAborted();
  exit(worstCode(codes));
}

/** Collects what is printed of an account, so that the lines of two are not among each other. */
function openPage(context: Context, name: string) {
  const lines: string[] = [];
  const remarks: string[] = [];
  const collect = (text: string) => void lines.push(text);
  const remark = (text: string) => void remarks.push(...text.split("\n").map((line) => `${name}: ${line}`));
  const own: Context = {
    ...context,
    accounts: [name],
    // The members with an accessor, which a copy would not have.
    folder: context.folder,
    print: collect,
    tell: (text) => context.quiet || collect(text),
    complain: remark,
    note: (text) => context.quiet || remark(text),
  };
  return {
    context: own,
    /** What went wrong after a result was printed takes its place: two texts were no JSON. */
    lastText: () => lines.at(-1) ?? "",
    print: (isBelow: boolean) => {
      if (lines.length > 0) context.print(`${isBelow ? "\n" : ""}${name}\n${lines.join("\n")}`);
    },
    complain: () => {
      for (const line of remarks) context.complain(line);
    },
  };
}

/** Returns an error as `--json` has it. */
export function errorToJson({ exitCode, message, hint }: CalltallyError) {
  return { exit_code: exitCode, message, hint: hint ?? null };
}

/** Accounts whose syncs run side by side in one process: each holds pages of its calls in memory. */
export const SYNCS_AT_ONCE = 4;
