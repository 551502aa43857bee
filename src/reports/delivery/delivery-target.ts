import { hash } from "node:crypto";
import { join } from "node:path";
import { rangeInWords } from "../../base/calendar/period-text.ts";
import { inLocale } from "../../base/text/locale.ts";
import {
  COMMAND_PLACEHOLDERS,
  fillPlaceholders,
  type PlaceholderValues,
  SUBJECT_PLACEHOLDERS,
} from "../../config/placeholder-names.ts";
import type { AttemptContext, AttemptOutcome } from "./attempt.ts";
import type { DeliveryKey } from "./delivery-table.ts";
import { kindOfHook, toHookBody } from "./hook-body.ts";
import { buildMessage, composeMail, type MailContent, messageIdOf } from "./mail-message.ts";
import type { ReportSummary } from "./report-summary.ts";
import { copyRun } from "./run-folder.ts";
import { DEFAULT_COMMAND_MS, runCommand } from "./send-command.ts";
import { postHook } from "./send-hook.ts";
import { type MailTimeouts, sendMail } from "./send-mail.ts";
import type { SmtpServer } from "./smtp-url.ts";

export interface EmailTarget {
  channel: "email";
  to: readonly string[];
  subject: string;
  smtp: SmtpServer;
  /** Total bytes of attachments. @default 10 MB */
  attachBytes?: number | undefined;
  /** @default 30 s to connect, 5 min without a byte, 15 min in all */
  timeouts?: MailTimeouts | undefined;
}

export interface WebhookTarget {
  channel: "webhook";
  url: URL;
  /** For one attempt. @default 30_000 */
  timeoutMs?: number | undefined;
}

export interface CommandTarget {
  channel: "command";
  /** The program and its arguments, which may contain placeholders. */
  argv: readonly [string, ...string[]];
  /** Absolute path of the working folder. */
  cwd: string;
  /** @default DEFAULT_COMMAND_MS */
  timeoutMs?: number | undefined;
}

export type DeliveryTarget = EmailTarget | WebhookTarget | CommandTarget;

export interface DeliverySource {
  database: string;
  warehouseId: string;
  runId: number;
  summary: ReportSummary;
  values: PlaceholderValues;
  /** Milliseconds since 1970-01-01 UTC. */
  now: () => number;
}

export interface Recipient {
  key: DeliveryKey;
  attempt: (context: AttemptContext) => Promise<AttemptOutcome>;
}

/** @throws UsageError if the options are impossible; nothing was sent */
export function toRecipients(target: DeliveryTarget, source: DeliverySource): Recipient[] {
  switch (target.channel) {
    case "email":
      return toMailRecipients(target, source);
    case "webhook":
      return [toHookRecipient(target, source)];
    case "command":
      return [toCommandRecipient(target, source)];
  }
}

function toMailRecipients(
  { to, subject, smtp, attachBytes, timeouts }: EmailTarget,
  { summary, values, warehouseId, runId, now }: DeliverySource,
): Recipient[] {
  const words = inLocale(summary.letterhead.locale, () => inWords(values));
  const filled = fillPlaceholders(subject, words, SUBJECT_PLACEHOLDERS);
  let content: Promise<MailContent> | undefined; // read once for all
  return to.map((recipient) => {
    const messageId = messageIdOf(warehouseId, runId, recipient, smtp.from);
    return {
      key: { channel: "email", recipient, message_id: messageId },
      attempt: async (context) => {
        content ??= composeMail(summary, filled, attachBytes);
        const head = { from: smtp.from, to: recipient, messageId, nowMs: now() };
        return await sendMail(smtp, await buildMessage(await content, head), context, timeouts);
      },
    };
  });
}

/** Writes days as the mail itself does. */
function inWords(values: PlaceholderValues): PlaceholderValues {
  const { from, to, period, date } = values;
  const say = (days: string | undefined) => days && rangeInWords(days);
  return { ...values, from: say(from), to: say(to), period: say(period), date: say(date) };
}

function toHookRecipient({ url, timeoutMs }: WebhookTarget, { summary }: DeliverySource): Recipient {
  const body = toHookBody(summary, kindOfHook(url));
  return {
    key: { channel: "webhook", recipient: withDigest(url.host, url.href), message_id: null },
    attempt: (context) => postHook(url, body, context, timeoutMs),
  };
}

function toCommandRecipient(
  { argv, cwd, timeoutMs = DEFAULT_COMMAND_MS }: CommandTarget,
  { values, database, summary }: DeliverySource,
): Recipient {
  const [program, ...args] = argv;
  const [only, ...others] = summary.files;
  const fillIn = (folder: string) => {
    const file = only && others.length === 0 ? join(folder, only.name) : undefined;
    return args.map((arg) => fillPlaceholders(arg, { ...values, folder, file }, COMMAND_PLACEHOLDERS));
  };
  fillIn(summary.folder); // refuses placeholders without a value before anything is sent
  return {
    // Two uploads by one program are two recipients; those of another folder are not.
    key: { channel: "command", recipient: withDigest(program, JSON.stringify(argv)), message_id: null },
    attempt: async (context) => {
      await using copy = await copyRun(database, summary);
      if (context.signal.aborted) return { kind: "temporary", error: `${program} was not started` };
      return await runCommand({ program, args: fillIn(copy.path), cwd, timeoutMs }, context);
    },
  };
}

function withDigest(name: string, whole: string): string {
  return `${name} #${hash("sha256", whole).slice(0, 8)}`;
}
