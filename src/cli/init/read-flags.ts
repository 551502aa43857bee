import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { cannotUse, describeError, UsageError } from "../../base/errors.ts";
import { readSecretFile } from "../../config/secret-file.ts";
import { parseToken } from "../../config/setting-parsers.ts";
import { parseSmtpUrl } from "../../delivery/smtp-url.ts";
import type { Context } from "../context.ts";
import {
  type Answers,
  accountOfHost,
  DEFAULT_OUT,
  type Given,
  parseAccount,
  parseAddress,
  parseOut,
  parseRecipients,
  parseZone,
  type Secret,
} from "./answers.ts";
import type { InitFlags } from "./declare-init.ts";
import { REPORT_CHOICES } from "./report-choices.ts";

/**
 * Reads the flags, and the files that they name.
 *
 * @throws UsageError that names the flag, and no secret
 */
export async function readFlags(
  flags: InitFlags,
  { folder, options: { account: accounts = [] } }: Context,
): Promise<Given> {
  if (accounts.length > 1) throw new UsageError("--account is given more than once: init writes one");
  const given = {
    baseUrl: parse("--base-url", flags.baseUrl, parseAddress),
    timezone: parse("--timezone", flags.timezone, parseZone),
    account: parse("--account", accounts[0], parseAccount),
    report: flags.report,
    out: parse("--out", flags.out, parseOut),
    to: parse("--email", flags.email?.join(","), parseRecipients),
    smtpUrl: readSecret("--smtp-url-file", flags.smtpUrlFile, folder, parseSmtpUrl),
  };
  if (given.to !== undefined && given.report === "none")
    throw new UsageError("--email has nothing to send with --report none");
  // Last: what comes on standard input may be long in coming.
  const token =
    flags.tokenFile === "-"
      ? { text: check("--token-file -", await readInput(), parseToken), file: undefined }
      : readSecret("--token-file", flags.tokenFile, folder, parseToken);
  return { ...given, token };
}

/**
 * Returns what `init` has to know, by the flags alone.
 *
 * @throws UsageError that names all that is missing
 */
export function completeAnswers({ baseUrl, token, timezone, ...given }: Given): Answers {
  const { report = REPORT_CHOICES[0], out = DEFAULT_OUT, to = [], smtpUrl } = given;
  const missing = [
    ...(baseUrl === undefined ? ["--base-url"] : []),
    ...(token === undefined ? ["--token-file"] : []),
    ...(timezone === undefined ? ["--timezone"] : []),
    ...(to.length > 0 && smtpUrl === undefined ? ["--smtp-url-file"] : []),
    ...(to.length === 0 && smtpUrl !== undefined ? ["--email"] : []),
  ];
  if (baseUrl === undefined || token === undefined || timezone === undefined || missing.length > 0) {
    const verb = missing.length === 1 ? "is" : "are";
    throw new UsageError(`${missing.join(", ")} ${verb} missing, and there is no terminal to ask on`, {
      hint: "e.g. calltally init --base-url https://api.example.com --token-file - --timezone Europe/Berlin < token",
    });
  }
  const { account = accountOfHost(baseUrl) } = given;
  return { baseUrl, token, timezone, account, report, out, to, smtpUrl };
}

function parse<T>(flag: string, text: string | undefined, read: (text: string) => T): T | undefined {
  if (text === undefined) return undefined;
  if (text.trim() === "") throw new UsageError(`${flag} is empty`);
  try {
    return read(text);
  } catch (error) {
    throw cannotUse(`${flag} ${text}`, describeError(error));
  }
}

function readSecret(
  flag: string,
  path: string | undefined,
  folder: string,
  read: (text: string) => unknown,
): Secret | undefined {
  if (path === undefined) return undefined;
  if (path.trim() === "") throw new UsageError(`${flag} is empty`);
  const file = resolve(folder, path);
  const text = readSecretFile(file, `Cannot use ${flag}`);
  return { text: check(flag, text, read), file };
}

/** The text itself is not shown. */
function check(flag: string, secret: string, read: (text: string) => unknown): string {
  try {
    read(secret);
  } catch (error) {
    throw cannotUse(flag, `the content ${describeError(error)}`);
  }
  return secret.trim();
}

async function readInput(): Promise<string> {
  if (process.stdin.isTTY) {
    throw new UsageError("--token-file - reads standard input, which is this terminal", {
      hint: "Leave it out: the token is asked for, and not shown.",
    });
  }
  return await text(process.stdin);
}
