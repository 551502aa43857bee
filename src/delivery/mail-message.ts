import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { domainToASCII } from "node:url";
import MailComposer from "nodemailer/lib/mail-composer";
import { toMailHtml, toMailText } from "./mail-body.ts";
import type { ReportFile, ReportSummary } from "./report-summary.ts";
import { changedError } from "./run-folder.ts";
import type { MailAddress } from "./smtp-url.ts";

/** Bytes of attachments in all, where nothing else is said: what nearly every mail server takes. */
export const DEFAULT_ATTACH_BYTES = 10_000_000;

export interface MailContent {
  subject: string;
  text: string;
  html: string;
  attachments: readonly { filename: string; content: Buffer }[];
}

/**
 * Attaches files in their order as long as all fit within the bound; the others are named.
 *
 * @throws CalltallyError (exit 7) where a file has another content than the report wrote
 */
export async function composeMail(
  summary: ReportSummary,
  subject: string,
  attachBytes = DEFAULT_ATTACH_BYTES,
): Promise<MailContent> {
  let room = attachBytes;
  const files = summary.files.map((file) => {
    const isAttached = file.bytes <= room;
    if (isAttached) room -= file.bytes;
    return { ...file, isAttached };
  });
  const attachments: { filename: string; content: Buffer }[] = [];
  for (const file of files) {
    // Mail has no folders: of a name with one, many clients keep the last part alone, the same for each month.
    const filename = file.name.replaceAll("/", "_");
    if (file.isAttached) attachments.push({ filename, content: await readUnchanged(file) });
  }
  return {
    subject: toHeader(subject),
    text: toMailText(summary, files),
    html: await toMailHtml(summary, files),
    attachments,
  };
}

async function readUnchanged({ path, sha256 }: ReportFile): Promise<Buffer> {
  const content = await readFile(path);
  if (hash("sha256", content) === sha256) return content;
  throw changedError(path);
}

/** A message, and whom it goes to by SMTP: with domains as DNS has them. */
export interface MailMessage {
  bytes: Buffer;
  envelope: { from: string; to: string[] };
}

export interface MailHead {
  from: MailAddress;
  to: string;
  messageId: string;
  /** Milliseconds since 1970-01-01 UTC. */
  nowMs: number;
}

export async function buildMessage(
  content: MailContent,
  { from, to, messageId, nowMs }: MailHead,
): Promise<MailMessage> {
  const composer = new MailComposer({
    from: { name: toHeader(from.name), address: from.address },
    to: { name: "", address: to },
    subject: content.subject,
    messageId,
    date: new Date(nowMs),
    // RFC 3834: keeps other machines from writing back that somebody is on holiday.
    headers: { "Auto-Submitted": "auto-generated" },
    text: content.text,
    html: content.html,
    attachments: [...content.attachments],
    newline: "win",
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const message = composer.compile();
  const envelope = message.getEnvelope();
  return {
    bytes: await message.build(),
    envelope: { from: envelope.from || from.address, to: envelope.to },
  };
}

/**
 * Returns the Message-ID of a mail: the same for the same report run and recipient, so that a second copy is known as one.
 *
 * @param warehouseId tells runs of the same number in other warehouses apart
 */
export function messageIdOf(warehouseId: string, runId: number, to: string, from: MailAddress): string {
  const digest = hash("sha256", JSON.stringify([warehouseId, runId, to]));
  const domain = domainToASCII(from.address.slice(from.address.lastIndexOf("@") + 1));
  return `<${digest.slice(0, 32)}@${domain}>`;
}

/** One line, so that nothing in it begins another header. */
function toHeader(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
}
