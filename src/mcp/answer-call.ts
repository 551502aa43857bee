import { z } from "zod";
import { describeError, describeWithHint, EXIT, UsageError } from "../base/errors.ts";
import { toCalltallyError } from "../base/known-error.ts";
import type { Account } from "../config/accounts.ts";
import type { CalltallyFile } from "../config/calltally-file.ts";
import { loadSettings } from "../config/load-settings.ts";
import { parse } from "../library/parse-options.ts";
import { reportsOf } from "../operate/status/read-next.ts";
import { forEachAccount, tryAccount, valueOrThrow } from "../reports/accounts/for-each-account.ts";
import { type Answer, toBounded } from "./answer.ts";
import type { Tool } from "./tools.ts";

const call = z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) });
/** What a client asks a tool. */
export type Call = z.infer<typeof call>;

/** An answer, or the message of an error with its hint. */
export const toolReply = z.union([
  z.object({ answer: z.record(z.string(), z.unknown()) }),
  z.object({ error: z.string() }),
]);
export type ToolReply = z.infer<typeof toolReply>;

/** Clients usually wait for 60 seconds. */
export const DEADLINE_SECONDS = 50;

export interface AskOptions {
  /** Aborts if the call is cancelled, or nobody is left to read its answer. */
  signal: AbortSignal;
  /** When nobody waits for the answer any more, in milliseconds since 1970. */
  untilMs: number;
}

/** A message may quote the arguments. */
const MAX_ERROR = 2000;

interface AnswerOptions {
  tools: readonly Tool[];
  accounts: readonly Account[];
  file: CalltallyFile | undefined;
  /** Whether personal data is shown. */
  isPersonal: boolean;
  complain: (text: string) => void;
}

function unnamedError(accounts: readonly Account[]): UsageError {
  const names = accounts.flatMap(({ name }) => name ?? []).join(", ");
  return new UsageError(`This tool works on one account, but there are ${accounts.length}: ${names}`, {
    hint: "Name one with the argument account; the tool status answers for all.",
  });
}

/** Answers a call, or says why it cannot. */
export async function answerCall(json: string, options: AnswerOptions): Promise<ToolReply> {
  const { tools, accounts, file, isPersonal, complain } = options;
  try {
    const request = call.parse(JSON.parse(json));
    const tool = tools.find(({ name }) => name === request.name);
    if (tool === undefined) throw new Error(`There is no tool ${request.name}`);
    const { account: name, ...args } = parse(tool.input, request.arguments);
    const answer = async (account: Account) => {
      const settings = loadSettings(account.sources);
      const scope = { account: account.name, settings, reports: reportsOf(file, account), nowMs: Date.now() };
      return await tool.answer(scope, args);
    };
    // Tools have an argument for the account only if there are several.
    const account = accounts.length === 1 ? accounts[0] : accounts.find((each) => each.name === name);
    if (account !== undefined)
      return { answer: toBounded(valueOrThrow(await tryAccount(account, answer)), isPersonal) };
    if (!tool.isOfAll) throw unnamedError(accounts);
    return { answer: toBounded(await answerAll(accounts, answer, complain), isPersonal) };
  } catch (thrown) {
    return { error: describeThrown(thrown, complain) };
  }
}

function describeThrown(thrown: unknown, complain: AnswerOptions["complain"]): string {
  const error = toCalltallyError(thrown);
  if (error.exitCode !== EXIT.failed) return describeWithHint(error).slice(0, MAX_ERROR);
  // Its cause may quote anything.
  complain(`calltally: ${describeError(error)}`);
  return `${error.message}: see the server's standard error`;
}

/** Answers for each account in short; one that cannot be read has its error, and stops no other. */
async function answerAll(
  accounts: readonly Account[],
  answer: (account: Account) => Promise<Answer>,
  complain: AnswerOptions["complain"],
): Promise<Omit<Answer, "basis">> {
  const all: object[] = [];
  for await (const result of forEachAccount(accounts, answer)) {
    const account = result.account.name;
    if ("error" in result) all.push({ account, error: describeThrown(result.error, complain) });
    else {
      const { basis, data } = result.value;
      all.push({ account, verdict: basis.verdict, finished_at: basis.finished_at, ...data });
    }
  }
  return { data: { accounts: all }, less: "Name one with the argument account." };
}
