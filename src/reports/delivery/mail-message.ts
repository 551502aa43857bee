import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { domainToASCII } from "node:url";
import { html } from "hono/html";
import MailComposer from "nodemailer/lib/mail-composer";
import { inLocale } from "../../base/text/locale.ts";
import type { Letterhead } from "../../export/letterhead/letterhead.ts";
import { toSentenceHtml } from "../../export/sentences/sentence-html.ts";
import { toSentenceText } from "../../export/sentences/sentences.ts";
import {
  callerInWords,
  changeInWords,
  doubtsInWords,
  formatBytes,
  type ReportFile,
  type ReportSummary,
  remarksInWords,
  ringBackTitle,
} from "./report-summary.ts";
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
    text: inLocale(letterhead.locale, () => toMailText(summary, files)),
    html: await inLocale(letterhead.locale, () => toMailHtml(summary, files)),
    attachments,
  };
}

interface Attachment {
  filename: string;
  content: Buffer;
  /** What the HTML calls it; it is not listed among the files. */
  cid?: string;
}

const LOGO = "logo@calltally";

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

interface MailFile extends Pick<ReportFile, "name" | "bytes"> {
  isAttached: boolean;
}

// Only the reader's own colours, for light and dark modes.
const MUTED = "opacity:.7";
const LINE = "1px solid rgba(128,128,128,.35)";
const FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const NOTE = "margin:20px 0 0;padding:10px 14px;border-left:4px solid rgba(128,128,128,.6)";
const CELL = `padding:10px 0;border-top:${LINE}`;

/** Returns self-contained HTML: inline styles, no script, nothing loaded. */
export async function toMailHtml(summary: ReportSummary, files: readonly MailFile[]): Promise<string> {
  const { title, letterhead, range, sentences, headline, folder } = summary;
  const [verdict, ...remarks] = remarksInWords(summary);
  const doubts = doubtsInWords(summary);
  const ringBack = ringBackTitle(summary);
  const callers = (summary.ring_back?.callers ?? []).map(callerInWords);
  const figures = headline.map(
    (figure) => html`<tr>
<td style="${CELL}">${figure.name}</td>
<td style="${CELL};padding-left:16px;text-align:right;font-variant-numeric:tabular-nums"><div style="font-size:20px;font-weight:600;line-height:1.2;white-space:nowrap">${figure.value}</div><div style="font-size:13px;${MUTED}">${changeInWords(figure)}</div></td>
</tr>
`,
  );
  const rows = files.map(
    ({ name, bytes, isAttached }) => html`<tr>
<td style="padding:4px 0;word-break:break-word">${name}</td>
<td style="padding:4px 0 4px 16px;text-align:right;white-space:nowrap;${MUTED}">${formatBytes(bytes)}${isAttached ? "" : ", not attached"}</td>
</tr>
`,
  );
  const page = html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${title}</title>
</head>
<body style="margin:0;padding:24px 16px;${FONT};font-size:15px;line-height:1.5">
<div style="max-width:600px;margin:0 auto">
${toInlineLogo(letterhead) && html`<img src="cid:${LOGO}" alt="" style="display:block;max-width:200px;max-height:56px;margin:0 0 8px">\n`}${letterhead.name && html`<div style="font-weight:600"><bdi>${letterhead.name}</bdi></div>\n`}<h1 style="margin:0;font-size:22px;line-height:1.3">${title}</h1>
<div style="margin:2px 0 20px;${MUTED}">${range}</div>
${doubts.map((doubt) => html`<p style="${NOTE};font-weight:600">${doubt}</p>\n`)}${
  sentences.length === 0
    ? ""
    : html`<ul style="margin:20px 0;padding-left:20px;font-size:16px;overflow-wrap:anywhere">\n${sentences.map((each) => html`<li style="margin:4px 0">${toSentenceHtml(each)}</li>\n`)}</ul>\n`
}<table role="presentation" width="100%" cellspacing="0" cellpadding="0" style="border-collapse:collapse;border-bottom:${LINE}">
${figures}</table>
${
  ringBack === null
    ? ""
    : html`<h2 style="margin:24px 0 4px;font-size:15px">${ringBack}</h2>
<ul style="margin:4px 0 0;padding-left:20px;font-size:14px">
${callers.map((caller) => html`<li style="margin:4px 0">${caller}</li>\n`)}</ul>
`
}<p style="${NOTE}">${verdict}</p>
${remarks.length === 0 ? "" : html`<ul style="margin:12px 0 0;padding-left:20px;font-size:14px">\n${remarks.map((remark) => html`<li style="margin:4px 0">${remark}</li>\n`)}</ul>\n`}${
  files.length === 0
    ? ""
    : html`<h2 style="margin:24px 0 4px;font-size:15px">Files</h2>
<table role="presentation" width="100%" cellspacing="0" cellpadding="0" style="border-collapse:collapse;font-size:14px">
${rows}</table>
${files.every(({ isAttached }) => isAttached) ? "" : html`<p style="margin:8px 0 0;font-size:14px;word-break:break-word">The sender has the files that are not attached, in ${folder}</p>\n`}`
}<p style="margin:28px 0 0;font-size:12px;${MUTED}">Sent by calltally.</p>
</div>
</body>
</html>
`;
  return String(await page);
}

function toMailText(summary: ReportSummary, files: readonly MailFile[]): string {
  const { title, letterhead, range, sentences, headline, folder } = summary;
  const [verdict = "", ...remarks] = remarksInWords(summary);
  const ringBack = ringBackTitle(summary);
  const callers = (summary.ring_back?.callers ?? []).map(callerInWords);
  const widest = (texts: readonly string[]) => Math.max(0, ...texts.map((text) => text.length));
  const names = widest(headline.map(({ name }) => name));
  const values = widest(headline.map(({ value }) => value));
  const figures = headline.map((figure) =>
    `${figure.name.padEnd(names)}  ${figure.value.padStart(values)}  ${changeInWords(figure) ?? ""}`.trimEnd(),
  );
  const rows = files.map(
    ({ name, bytes, isAttached }) => `- ${name} (${formatBytes(bytes)}${isAttached ? "" : ", not attached"})`,
  );
  const place = files.every(({ isAttached }) => isAttached)
    ? []
    : [`The sender has the files that are not attached, in ${folder}`];
  const paragraphs = [
    [...(letterhead.name === undefined ? [] : [letterhead.name]), title, range],
    doubtsInWords(summary),
    sentences.map((each) => `- ${toSentenceText(each)}`),
    figures,
    ringBack === null ? [] : [ringBack, ...callers.map((caller) => `- ${caller}`)],
    [verdict],
    remarks.map((remark) => `- ${remark}`),
    files.length === 0 ? [] : ["Files", ...rows, ...place],
    ["--", "Sent by calltally."],
  ];
  return paragraphs
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join("\n")}\n`)
    .join("\n");
}
