import { resolve } from "node:path";
import { text as readText } from "node:stream/consumers";
import {
  type CANCEL_SYMBOL,
  intro,
  isCancel,
  log,
  type PasswordOptions,
  password,
  text,
  updateSettings,
} from "@clack/prompts";
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
    baseUrl: parseFlag("--base-url", baseUrl, parseAddress),
    timezone: parseFlag("--timezone", timezone, parseTimeZone),
    account: parseFlag("--account", accounts[0], parseAccount),
    // Last, because standard input may take long.
    token: tokenFile === undefined ? undefined : await readToken(tokenFile, folder),
  };
}

function parseFlag<T>(flag: string, value: string | undefined, parse: (text: string) => T): T | undefined {
  if (value === undefined) return undefined;
  if (value.trim() === "") throw emptyFlag(flag);
  return parseFrom(`${flag} ${value}`, () => parse(value.trim()), SEE_HELP);
}

const SEE_HELP = "`calltally init --help` shows an example.";

function emptyFlag(flag: string): UsageError {
  return new UsageError(`Cannot use ${flag}: it is empty`, { hint: SEE_HELP });
}

async function readToken(path: string, folder: string): Promise<Access["token"]> {
  if (path.trim() === "") throw emptyFlag("--token-file");
  if (path !== "-") {
    const file = resolve(folder, path);
    return { text: parseSecretFile(file, "Cannot use --token-file", parseToken), file };
  }
  if (process.stdin.isTTY) {
    throw new UsageError("--token-file - reads standard input, which is this terminal", {
      hint: "Leave it out: you will be asked for the token, which is not shown.",
    });
  }
  const input = await readText(process.stdin);
  try {
    return { text: parseToken(input), file: undefined };
  } catch (error) {
    throw cannotUse(
      "--token-file -",
      `the content ${describeError(error)}`,
      "Pass the token alone, on one line.",
    );
  }
}

/** Returns the answers from flags alone. @throws UsageError that names all that are missing */
export function completeAnswers({ baseUrl, token, timezone, account }: GivenAnswers): Answers {
  if (baseUrl === undefined || token === undefined || timezone === undefined) {
    const needed = { "--base-url": baseUrl, "--token-file": token, "--timezone": timezone };
    const missing = Object.entries(needed).flatMap(([flag, answer]) => (answer === undefined ? [flag] : []));
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
    prompt: (options: Pick<PasswordOptions, "validate" | "signal">) => Promise<string | typeof CANCEL_SYMBOL>,
    parse: (text: string) => T,
    suggested = "",
  ): Promise<T> => {
    const read = (typed: string | undefined) => parse((typed || suggested).trim());
    const validate = (typed: string | undefined) => problemOf(() => read(typed));
    const answer = await prompt({ validate, signal });
    if (!isCancel(answer)) return read(answer);
    signal.throwIfAborted();
    throw new CalltallyError(EXIT.sigint, "Cancelled: nothing was written", {
      hint: "Run `calltally init` again to write the file.",
    });
  };
  /** @param accepted the address of a service that refused only the token */
  const askAccess = async (suggested?: string, accepted = fromFlags.baseUrl): Promise<Access> => {
    const address = { message: "Address of the API", placeholder: suggested ?? "https://api.example.com" };
    const baseUrl =
      accepted ?? (await ask((options) => text({ ...address, ...options }), parseAddress, suggested));
    const token = fromFlags.token ?? {
      text: await ask((options) => password({ message: "Token (not shown)", ...options }), parseToken),
      file: undefined,
    };
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
  const zone = { message: "Time zone of the reports", placeholder: zoneOfMachine() };
  const timezone =
    fromFlags.timezone ??
    (await ask((options) => text({ ...zone, ...options }), parseTimeZone, zone.placeholder));
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
