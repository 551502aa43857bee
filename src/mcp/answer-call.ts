import { z } from "zod";
import { describeError, describeWithHint, EXIT } from "../base/errors.ts";
import { toCalltallyError } from "../base/known-error.ts";
import type { Account } from "../config/accounts.ts";
import type { CalltallyFile } from "../config/calltally-file.ts";
import { loadSettings } from "../config/load-settings.ts";
import { parse } from "../library/parse-options.ts";
import { reportsOf } from "../status/read-next.ts";
import { toBounded } from "./answer.ts";
import type { Tool } from "./tools.ts";

const call = z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) });
/** What a client asks a tool. */
export type Call = z.infer<typeof call>;

/** An answer, or the message of an error with its hint. */
export type Said = { answer: Record<string, unknown> } | { error: string };

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

/** Answers a call, or says why it cannot. */
export async function answerCall(json: string, options: AnswerOptions): Promise<Said> {
  const { tools, accounts, file, isPersonal, complain } = options;
  try {
    const asked = call.parse(JSON.parse(json));
    const tool = tools.find(({ name }) => name === asked.name);
    if (tool === undefined) throw new Error(`There is no tool ${asked.name}`);
    const { account: name, ...given } = parse(tool.input, asked.arguments);
    // Tools have an argument for the account only if there are several.
    const account = accounts.length === 1 ? accounts[0] : accounts.find((each) => each.name === name);
    if (account === undefined) throw new Error("There is no account");
    const settings = loadSettings(account.sources);
    const scope = { account: account.name, settings, reports: reportsOf(file, account), nowMs: Date.now() };
    return { answer: toBounded(await tool.answer(scope, given), isPersonal) };
  } catch (thrown) {
    const error = toCalltallyError(thrown);
    if (error.exitCode !== EXIT.failed) return { error: describeWithHint(error).slice(0, MAX_ERROR) };
    // Its cause may quote anything.
    complain(`calltally: ${describeError(error)}`);
    return { error: `${error.message}: see the server's standard error` };
  }
}
