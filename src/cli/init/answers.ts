import { resolve } from "node:path";
import { text as readText } from "node:stream/consumers";
import { intro, isCancel, log, password, text, updateSettings } from "@clack/prompts";
import {
  attempt,
  CalltallyError,
  cannotUse,
  describeError,
  EXIT,
  parseFrom,
  problemOf,
  UsageError,
} from "../../base/errors.ts";
import { namesOf } from "../../base/records.ts";
import { toPrintableLines } from "../../base/text/printable.ts";
import { nameSchema } from "../../config/file-schema.ts";
import { parseSecretFile } from "../../config/files/secret-file.ts";
import { parseBaseUrl, parseToken } from "../../config/setting-parsers.ts";
import { parseTimeZone } from "../../config/time-zone.ts";
import { ApiError } from "../../service/api/api-errors.ts";
import type { Context } from "../context.ts";

/** Without `--config` and `--account`, which the program reads for all commands. */
export interface InitFlags {
  baseUrl?: string | undefined;
  tokenFile?: string | undefined;
  timezone?: string | undefined;
  offline?: true | undefined;
}

/** How to request the calls of an account. */
export interface Access {
  baseUrl: URL;
  /** The file is undefined if it is still to be written. */
  token: { text: string; file: string | undefined };
  account: string;
}

export interface Answers extends Access {
  timezone: string;
}

type GivenAnswers = { [Name in keyof Answers]: Answers[Name] | undefined };

interface Question<T> {
  /** What answers it without a terminal. */
  flag: string;
  /** What is asked on a terminal. */
  message: string;
  isSecret?: boolean;
  /** Shown where there is nothing to suggest. */
  example?: string;
  /** The answer of an empty line. */
  suggest?: () => string;
  /** @throws Error that says what is wrong with the answer */
  parse: (text: string) => T;
}

/** What has to be known, in the order of the questions; the account's name follows from the address. */
const QUESTIONS = {
  baseUrl: {
    flag: "--base-url",
    message: "Address of the API",
    example: "https://api.example.com",
    parse: parseAddress,
  },
  token: { flag: "--token-file", message: "Token (not shown)", isSecret: true, parse: parseToken },
  timezone: {
    flag: "--timezone",
    message: "Time zone of the reports",
    suggest: zoneOfMachine,
    parse: parseTimeZone,
  },
} as const satisfies Partial<Record<keyof Answers, Question<unknown>>>;

const ACCOUNT = { flag: "--account", parse: parseAccount };

/** Reads the flags, and the file of the token. @throws UsageError that names the flag, and not the token */
export async function readFlags(
  { baseUrl, timezone, tokenFile }: InitFlags,
  { folder, options: { account: accounts = [] } }: Pick<Context, "folder" | "options">,
): Promise<GivenAnswers> {
  if (accounts.length > 1)
    throw new UsageError("Cannot use --account more than once: init writes one account", {
      hint: "Add the others to calltally.yaml afterwards.",
    });
  return {
    baseUrl: parseFlag(QUESTIONS.baseUrl, baseUrl),
    timezone: parseFlag(QUESTIONS.timezone, timezone),
    account: parseFlag(ACCOUNT, accounts[0]),
    // Last, because standard input may take long.
    token: tokenFile === undefined ? undefined : await readToken(tokenFile, folder),
  };
}

function parseFlag<T>(
  { flag, parse }: Pick<Question<T>, "flag" | "parse">,
  value: string | undefined,
): T | undefined {
  if (value === undefined) return undefined;
  if (value.trim() === "") throw emptyFlag(flag);
  return parseFrom(`${flag} ${value}`, () => parse(value.trim()), SEE_HELP);
}

const SEE_HELP = "`calltally init --help` shows an example.";

function emptyFlag(flag: string): UsageError {
  return new UsageError(`Cannot use ${flag}: it is empty`, { hint: SEE_HELP });
}

async function readToken(path: string, folder: string): Promise<Access["token"]> {
  const { flag } = QUESTIONS.token;
  if (path.trim() === "") throw emptyFlag(flag);
  if (path !== "-") {
    const file = resolve(folder, path);
    return { text: parseSecretFile(file, `Cannot use ${flag}`, parseToken), file };
  }
  if (process.stdin.isTTY) {
    throw new UsageError(`${flag} - reads standard input, which is this terminal`, {
      hint: "Leave it out: you will be asked for the token, which is not shown.",
    });
  }
  const input = await readText(process.stdin);
  try {
    return { text: parseToken(input), file: undefined };
  } catch (error) {
    throw cannotUse(`${flag} -`, `the content ${describeError(error)}`, "Pass the token alone, on one line.");
  }
}

/** Returns the answers from flags alone. @throws UsageError that names all that are missing */
export function completeAnswers(answers: GivenAnswers): Answers {
  const { baseUrl, token, timezone, account } = answers;
  if (baseUrl === undefined || token === undefined || timezone === undefined) {
    const missing = namesOf(QUESTIONS).flatMap((name) =>
      answers[name] === undefined ? [QUESTIONS[name].flag] : [],
    );
    const verb = missing.length === 1 ? "is" : "are";
    throw new UsageError(`${missing.join(", ")} ${verb} missing, and there is no terminal for questions`, {
      hint: "e.g. calltally init --base-url https://api.example.com --token-file - --timezone America/Chicago < token",
    });
  }
  return { baseUrl, token, timezone, account: account ?? accountOfHost(baseUrl) };
}

/**
 * Asks on the terminal for what the flags do not say; repeats address and token until the service accepts them,
 * or the token alone if that is what it refuses.
 * @param tryAccess returns the service's response; undefined to skip it
 * @throws CalltallyError if cancelled
 */
export async function askAnswers(
  fromFlags: GivenAnswers,
  tryAccess: ((access: Access) => Promise<string>) | undefined,
  signal: AbortSignal,
): Promise<Answers> {
  // Readline takes Ctrl-D for the end of input, and no prompt would ever end.
  updateSettings({ aliases: { "\u0004": "cancel" } });
  intro("calltally.yaml in three questions; Ctrl-C writes nothing");
  const ask = async <T>(
    { message, isSecret = false, example, suggest, parse }: Question<T>,
    suggested = suggest?.() ?? "",
  ): Promise<T> => {
    const read = (typed: string | undefined) => parse((typed || suggested).trim());
    const validate = (typed: string | undefined) => problemOf(() => read(typed));
    const options = { message, validate, signal };
    const answer = isSecret
      ? await password(options)
      : await text({ ...options, placeholder: suggested || (example ?? "") });
    if (!isCancel(answer)) return read(answer);
    signal.throwIfAborted();
    throw new CalltallyError(EXIT.sigint, "Cancelled: nothing was written", {
      hint: "Run `calltally init` again to write the file.",
    });
  };
  /** @param accepted the address of a service that refused only the token */
  const askAccess = async (suggested?: string, accepted = fromFlags.baseUrl): Promise<Access> => {
    const baseUrl = accepted ?? (await ask(QUESTIONS.baseUrl, suggested));
    const token = fromFlags.token ?? { text: await ask(QUESTIONS.token), file: undefined };
    const access = { baseUrl, token, account: fromFlags.account ?? accountOfHost(baseUrl) };
    if (tryAccess === undefined) return access;
    try {
      log.step(`Asking ${baseUrl.host} for two calls …`);
      log.success(await tryAccess(access));
      return access;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const isTokenWrong = error.exitCode === EXIT.refused;
      if (isTokenWrong ? fromFlags.token : fromFlags.baseUrl) throw error;
      log.error(toPrintableLines(error.message));
      return await askAccess(baseUrl.href, isTokenWrong ? baseUrl : undefined);
    }
  };
  const access = await askAccess();
  const timezone = fromFlags.timezone ?? (await ask(QUESTIONS.timezone));
  return { ...access, timezone };
}

function parseAddress(text: string): URL {
  if (URL.parse(text) === null) throw new Error("is not a full address such as https://api.example.com");
  return parseBaseUrl(text);
}

function parseAccount(name: string): string {
  const { data, error } = nameSchema.safeParse(name);
  if (data !== undefined) return data;
  throw new Error(error?.issues[0]?.message);
}

/** UTC if this machine's zone has no name. */
function zoneOfMachine(): string {
  return attempt(() => parseTimeZone(Intl.DateTimeFormat().resolvedOptions().timeZone)) ?? "UTC";
}

/** Parts of a host name that do not identify its owner. */
const COMMON_LABELS = /^(api|app|www|v\d+|\d+)$/;

/** Suggests a name for an account: northwind for https://api.northwind.example. */
export function accountOfHost({ hostname }: URL): string {
  const label = hostname.split(".").find((part) => !COMMON_LABELS.test(part)) ?? "";
  return nameSchema.safeParse(label).data ?? "main"; // an IP address
}
