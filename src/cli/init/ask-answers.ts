import {
  type CANCEL_SYMBOL,
  intro,
  isCancel,
  log,
  password,
  select,
  text,
  updateSettings,
} from "@clack/prompts";
import { ApiError } from "../../api/api-errors.ts";
import { CalltallyError, EXIT } from "../../base/errors.ts";
import { toPrintableLines } from "../../base/printable.ts";
import { parseToken } from "../../config/setting-parsers.ts";
import { parseSmtpUrl } from "../../delivery/smtp-url.ts";
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
  problemOf,
  type Secret,
  zoneOfMachine,
} from "./answers.ts";
import { REPORT_CHOICES, type ReportChoice } from "./report-choices.ts";
import { STARTER_REPORTS } from "./starter-file.ts";

export interface AskOptions {
  /** Asks the service how many calls it counts; undefined where the token is not to be tried. */
  tryToken: ((baseUrl: URL, token: string) => Promise<string>) | undefined;
  /** Whether there is a file of secrets of this name already, which is never replaced. */
  isTaken: (name: string) => boolean;
  signal: AbortSignal;
}

/**
 * Asks on the terminal for whatever the flags do not say.
 *
 * @throws CalltallyError when it is cancelled
 */
export async function askAnswers(given: Given, options: AskOptions): Promise<Answers> {
  // Readline takes Ctrl-D for the end of the input, and no prompt would ever end.
  updateSettings({ aliases: { "\u0004": "cancel" } });
  const ask = new Prompts(options.signal);
  intro("calltally.yaml in a few questions; Ctrl-C writes nothing");
  const { baseUrl, token } = await askAccess(given, ask, options);
  const timezone = given.timezone ?? (await ask.line("Time zone of the reports", zoneOfMachine(), parseZone));
  const toNewAccount = (name: string) => {
    const account = parseAccount(name);
    const file = `${account}.token`;
    if (token.file === undefined && options.isTaken(file))
      throw new Error(`secrets/${file} is there already: choose another name`);
    return account;
  };
  const account =
    given.account ?? (await ask.line("A name for the account", accountOfHost(baseUrl), toNewAccount));
  const report = given.report ?? (await ask.report());
  if (report === "none") {
    return { baseUrl, token, timezone, account, report, out: DEFAULT_OUT, to: [], smtpUrl: undefined };
  }
  const out = given.out ?? (await ask.line("Folder for reports", DEFAULT_OUT, parseOut));
  const toReachable = (addresses: string) => {
    const to = parseRecipients(addresses);
    if (to.length > 0 && given.smtpUrl === undefined && options.isTaken("smtp.url"))
      throw new Error("secrets/smtp.url is there already: leave this empty, or name it with --smtp-url-file");
    return to;
  };
  const to = given.to ?? (await ask.recipients(toReachable));
  const smtpUrl =
    to.length === 0
      ? undefined
      : (given.smtpUrl ??
        (await ask.secret("Mail server, as smtps://user:password@mail.example.com", parseSmtpUrl)));
  return { baseUrl, token, timezone, account, report, out, to, smtpUrl };
}

/** Asks for address and token until the service takes them, or the person goes on without. */
async function askAccess(
  given: Given,
  ask: Prompts,
  { tryToken }: AskOptions,
): Promise<Pick<Answers, "baseUrl" | "token">> {
  let { baseUrl, token } = given;
  for (;;) {
    baseUrl ??= await ask.address();
    token ??= await ask.secret("Token (not shown)", parseToken);
    if (tryToken === undefined) return { baseUrl, token };
    try {
      log.step(`Asking ${baseUrl.host} for two calls …`);
      log.success(await tryToken(baseUrl, token.text));
      return { baseUrl, token };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      log.error(toPrintableLines(error.message));
      if (error.exitCode === EXIT.refused) token = undefined;
      else {
        const next = await ask.afterFailure(error.exitCode === EXIT.unreachable);
        if (next === "stop") throw error;
        if (next === "offline") return { baseUrl, token };
        if (next === "address") baseUrl = undefined;
      }
    }
  }
}

/** Questions on the terminal; each throws when it is cancelled. */
class Prompts {
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Asks for a line of text; an empty one stands for what is suggested. */
  async line(message: string, suggested: string, parse: (text: string) => string): Promise<string> {
    const answer = text({
      message,
      placeholder: suggested,
      defaultValue: suggested,
      validate: (typed) => problemOf(parse, typed || suggested),
      signal: this.#signal,
    });
    return parse(await this.#answered(answer));
  }

  async address(): Promise<URL> {
    const answer = text({
      message: "Address of the API",
      placeholder: "https://api.example.com",
      validate: (typed = "") => problemOf(parseAddress, typed),
      signal: this.#signal,
    });
    return parseAddress(await this.#answered(answer));
  }

  async secret(message: string, parse: (text: string) => unknown): Promise<Secret> {
    const answer = password({
      message,
      validate: (typed = "") => problemOf(parse, typed),
      signal: this.#signal,
    });
    return { text: (await this.#answered(answer)).trim(), file: undefined };
  }

  async recipients(parse: (text: string) => string[]): Promise<string[]> {
    const answer = text({
      message: "Mail it to (addresses, or nothing)",
      placeholder: "nobody",
      defaultValue: "",
      validate: (typed = "") => problemOf(parse, typed),
      signal: this.#signal,
    });
    return parse(await this.#answered(answer));
  }

  async report(): Promise<ReportChoice> {
    const answer = select<ReportChoice>({
      message: "First report",
      options: REPORT_CHOICES.map((value) =>
        value === "none" ? { value, label: "None" } : { value, ...STARTER_REPORTS[value] },
      ),
      showInstructions: false,
      signal: this.#signal,
    });
    return await this.#answered(answer);
  }

  async afterFailure(mayGoOn: boolean): Promise<"again" | "address" | "offline" | "stop"> {
    const answer = select<"again" | "address" | "offline" | "stop">({
      message: "What now?",
      options: [
        { value: "address", label: "Enter another address" },
        { value: "again", label: "Try again" },
        ...(mayGoOn ? [{ value: "offline" as const, label: "Go on without trying the token" }] : []),
        { value: "stop", label: "Stop, and write nothing" },
      ],
      showInstructions: false,
      signal: this.#signal,
    });
    return await this.#answered(answer);
  }

  async #answered<T>(prompt: Promise<T | typeof CANCEL_SYMBOL>): Promise<T> {
    const answer = await prompt;
    if (!isCancel(answer)) return answer;
    this.#signal.throwIfAborted();
    throw new CalltallyError(EXIT.sigint, "Cancelled: nothing was written");
  }
}
