import { html } from "hono/html";
import { type Block, type Figure, type ListedFile, type Printers, printBlocks } from "../../export/blocks.ts";
import { verdictInWords } from "../../export/completeness.ts";
import type { Letterhead } from "../../export/letterhead/letterhead.ts";
import { toSentenceHtml } from "../../export/sentences/sentence-html.ts";
import { say } from "../../export/statements/statements.ts";
import { placeOf } from "./mail-text.ts";
import { changeInWords } from "./report-summary.ts";

/** The Content-ID of the logo. */
export const LOGO = "logo@calltally";

type Html = ReturnType<typeof html>;

// Only the reader's own colours, for light and dark modes.
const MUTED = "opacity:.7";
const LINE = "1px solid rgba(128,128,128,.35)";
const FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const NOTE = "margin:20px 0 0;padding:10px 14px;border-left:4px solid rgba(128,128,128,.6)";
const CELL = `padding:10px 0;border-top:${LINE}`;
const HEADING = "margin:24px 0 4px;font-size:15px";

const toItem = (content: Html | string) => html`<li style="margin:4px 0">${content}</li>\n`;

const toFigure = (figure: Figure) => html`<tr>
<td style="${CELL}">${figure.name}</td>
<td style="${CELL};padding-left:16px;text-align:right;font-variant-numeric:tabular-nums"><div style="font-size:20px;font-weight:600;line-height:1.2;white-space:nowrap">${figure.value}</div><div style="font-size:13px;${MUTED}">${changeInWords(figure)}</div></td>
</tr>
`;

const toFile = ({ name, content, isAttached }: ListedFile) => html`<tr>
<td style="padding:4px 0;word-break:break-word">${name}</td>
<td style="padding:4px 0 4px 16px;text-align:right;white-space:nowrap;${MUTED}">${content}${isAttached ? "" : ", not attached"}</td>
</tr>
`;

const toPlace = (text: string) =>
  html`<p style="margin:8px 0 0;font-size:14px;word-break:break-word">${text}</p>\n`;

const BODY: Printers<Html | readonly Html[]> = {
  headline: ({
    title,
    letterhead: { name },
    range,
  }) => html`${toName(name)}<h1 style="margin:0;font-size:22px;line-height:1.3">${title}</h1>
<div style="margin:2px 0 20px;${MUTED}">${range}</div>
`,
  doubts: ({ statements }) =>
    statements.map((doubt) => html`<p style="${NOTE};font-weight:600">${say(doubt).text}</p>\n`),
  sentences: ({
    sentences,
  }) => html`<ul style="margin:20px 0;padding-left:20px;font-size:16px;overflow-wrap:anywhere">
${sentences.map((each) => toItem(toSentenceHtml(each)))}</ul>
`,
  figures: ({
    figures,
  }) => html`<table role="presentation" width="100%" cellspacing="0" cellpadding="0" style="border-collapse:collapse;border-bottom:${LINE}">
${figures.map(toFigure)}</table>
`,
  callers: ({ title, lines }) => html`<h2 style="${HEADING}">${title}</h2>
<ul style="margin:4px 0 0;padding-left:20px;font-size:14px">
${lines.map(toItem)}</ul>
`,
  verdict: (verdict) => html`<p style="${NOTE}">${verdictInWords(verdict)}</p>
`,
  remarks: ({ lines }) => html`<ul style="margin:12px 0 0;padding-left:20px;font-size:14px">
${lines.map(toItem)}</ul>
`,
  files: ({ files, folder }) => html`<h2 style="${HEADING}">Files</h2>
<table role="presentation" width="100%" cellspacing="0" cellpadding="0" style="border-collapse:collapse;font-size:14px">
${files.map(toFile)}</table>
${placeOf(files, folder).map(toPlace)}`,
};

/** Returns self-contained HTML: inline styles, no script, nothing loaded but the attached logo. */
export async function toMailHtml(
  blocks: readonly Block[],
  { title, logo }: { title: string; logo: Letterhead["logo"] },
): Promise<string> {
  return String(
    await html`<!DOCTYPE html>
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
${logo && toLogo()}${printBlocks(blocks, BODY)}<p style="margin:28px 0 0;font-size:12px;${MUTED}">Sent by calltally.</p>
</div>
</body>
</html>
`,
  );
}

const toLogo = () =>
  html`<img src="cid:${LOGO}" alt="" style="display:block;max-width:200px;max-height:56px;margin:0 0 8px">\n`;

const toName = (name: string | undefined) =>
  name && html`<div style="font-weight:600"><bdi>${name}</bdi></div>\n`;
