import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { domainToASCII } from "node:url";
import MailComposer from "nodemailer/lib/mail-composer";
import { inLocale } from "../../base/text/locale.ts";
import type { Letterhead } from "../../export/letterhead/letterhead.ts";
import { LOGO, toMailHtml } from "./mail-html.ts";
import { toMailText } from "./mail-text.ts";
import { blocksOf } from "./report-blocks.ts";
import type { ReportFile, ReportSummary } from "./report-summary.ts";
import { changedError } from "./run-folder.ts";
import type { MailAddress } from "./smtp-url.ts";

/** Accepted by nearly every mail server. */
const DEFAULT_ATTACH_BYTES = 10_000_000;

export type MailContent = Awaited<ReturnType<typeof composeMail>>;

/**
 * Attaches files in order while they fit; the others, and those with scripts, are named.
 * @throws CalltallyError (exit 7) if a file's content is not what the report wrote
 */
export async function composeMail(
  summary: ReportSummary,
  subject: string,
  attachBytes = DEFAULT_ATTACH_BYTES,
) {
  const { letterhead, prefix } = summary;
  const logo = toInlineLogo(letterhead);
  let room = attachBytes - (logo?.content.length ?? 0);
  const files = summary.files.map((file) => {
    const isAttached = !file.isScript && file.bytes <= room;
    if (isAttached) room -= file.bytes;
    // Mail has no folders: of a path, many clients keep only the last part, which is the same for each month.
    return { ...file, ...(isAttached && { name: prefix + file.name.replaceAll("/", "_") }), isAttached };
  });
  const attachments: Attachment[] = logo === undefined ? [] : [logo];
  for (const file of files)
    if (file.isAttached) attachments.push({ filename: file.name, content: await readUnchanged(file) });
  return {
    subject: toHeader(subject),
    text: inLocale(letterhead.locale, () => toMailText(blocksOf(summary, files))),
    html: await inLocale(letterhead.locale, () =>
      toMailHtml(blocksOf(summary, files), { title: summary.title, logo: logo && letterhead.logo }),
    ),
    attachments,
  };
}

interface Attachment {
  filename: string;
  content: Buffer;
  /** What the HTML calls it; it is not listed among the files. */
  cid?: string;
}

/** Most mail programs show no SVG, and none of the large ones a `data:` address. */
function toInlineLogo({ logo }: Letterhead): Attachment | undefined {
  if (logo?.type !== "image/png") return undefined;
  return { filename: "logo.png", content: Buffer.from(logo.base64, "base64"), cid: LOGO };
}

async function readUnchanged({ path, sha256 }: ReportFile): Promise<Buffer> {
  const content = await readFile(path);
  if (hash("sha256", content) === sha256) return content;
  throw changedError(path);
}

/** A message and its SMTP envelope, with ASCII domains. */
export type MailMessage = Awaited<ReturnType<typeof buildMessage>>;

export async function buildMessage(
  content: MailContent,
  { from, to, messageId, nowMs }: { from: MailAddress; to: string; messageId: string; nowMs: number },
) {
  const composer = new MailComposer({
    from: { name: toHeader(from.name), address: from.address },
    to: { name: "", address: to },
    subject: content.subject,
    messageId,
    date: new Date(nowMs),
    // RFC 3834: prevents automatic replies.
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

/** The same for the same report run and recipient, so that a second copy is recognized. */
export function messageIdOf(warehouseId: string, runId: number, to: string, from: MailAddress): string {
  const digest = hash("sha256", JSON.stringify([warehouseId, runId, to]));
  const domain = domainToASCII(from.address.slice(from.address.lastIndexOf("@") + 1));
  return `<${digest.slice(0, 32)}@${domain}>`;
}

/** One line, so that nothing in it begins another header. */
function toHeader(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
}
