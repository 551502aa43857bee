import { isLoopback } from "../../base/loopback.ts";
import { inLocale } from "../../base/text/locale.ts";
import { assertNoPlaceholder } from "../../config/placeholder-names.ts";
import { toSentenceText } from "../../export/sentences/sentences.ts";
import { toSpoken } from "../../export/statements/statements.ts";
import {
  changeInWords,
  doubtsInWords,
  type Figure,
  formatBytes,
  type ReportSummary,
  remarksInWords,
} from "./report-summary.ts";

/** `json` has a `text`, which many services show. */
export type HookKind = keyof typeof FORMS;

/** @throws Error that says what is wrong, without the address, which is a secret */
export function parseHookUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null) throw new Error("is not a URL that starts with https://");
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname))) {
    throw new Error("must start with https:// (http:// only for this machine)");
  }
  if (url.username || url.password || url.hash) throw new Error("must have neither user nor fragment");
  assertNoPlaceholder(text);
  return url;
}

export function kindOfHook({ hostname }: URL): HookKind {
  if (/^hooks\.slack(-gov)?\.com$/.test(hostname)) return "slack";
  // Power Automate workflows, by their hosts before and since 2025, and the older connectors.
  if (/\.(logic\.azure\.com|api\.powerplatform\.com|webhook\.office\.com)$/.test(hostname)) return "teams";
  return "json";
}

/** The most characters that Slack accepts in a header, and in a section or context. */
const [SLACK_HEADER, SLACK_TEXT] = [150, 2900];
const SLACK_FIELDS = 10;

const FORMS = { slack: toSlackMessage, teams: toTeamsMessage, json: toPlainJson };

export function toHookBody(summary: ReportSummary, kind: HookKind): unknown {
  return inLocale(summary.letterhead.locale, () => FORMS[kind](summary));
}

/** Slack's Block Kit: https://docs.slack.dev/reference/block-kit/blocks */
function toSlackMessage(summary: ReportSummary): unknown {
  const { headline } = summary;
  const doubts = doubtsInWords(summary).map(escapeSlack);
  const sentences = summary.sentences.map((each) => escapeSlack(`• ${toSentenceText(each)}`));
  const fields = headline.map((figure) =>
    mrkdwn(`*${escapeSlack(figure.name)}*\n${escapeSlack(inWords(figure, "  "))}`),
  );
  const notes = [...remarksInWords(summary), ...filesInWords(summary)].map(escapeSlack);
  return {
    text: escapeSlack(toOneLine(summary)),
    blocks: [
      { type: "header", text: { type: "plain_text", text: cut(summary.title, SLACK_HEADER) } },
      { type: "context", elements: [mrkdwn(escapeSlack(subtitleOf(summary)))] },
      ...(doubts.length > 0 ? [{ type: "section", text: mrkdwn(doubts.join("\n")) }] : []),
      ...(sentences.length > 0 ? [{ type: "section", text: mrkdwn(sentences.join("\n")) }] : []),
      ...inGroups(fields, SLACK_FIELDS).map((group) => ({ type: "section", fields: group })),
      { type: "context", elements: [mrkdwn(notes.join("\n"))] },
    ],
  };
}

/** Verbatim, so that Slack does not turn words into links and mentions. */
function mrkdwn(text: string) {
  return { type: "mrkdwn", text: cut(text, SLACK_TEXT), verbatim: true };
}

/** Otherwise `<!channel>` would notify everybody. */
function escapeSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/**
 * An Adaptive Card in a message, the only form that Teams workflows accept:
 * https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
 */
function toTeamsMessage(summary: ReportSummary): unknown {
  const { title, headline } = summary;
  const facts = headline.map((figure) => ({ title: figure.name, value: inWords(figure) }));
  const notes = [...remarksInWords(summary), ...filesInWords(summary)];
  const card = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    body: [
      paragraph({ text: title, size: "large", weight: "bolder" }),
      paragraph({ text: subtitleOf(summary), isSubtle: true }),
      ...doubtsInWords(summary).map((text) => paragraph({ text, weight: "bolder" })),
      ...summary.sentences.map((each) => paragraph({ text: `• ${toSentenceText(each)}` })),
      { type: "FactSet", facts },
      ...notes.map((text) => paragraph({ text, size: "small" })),
    ],
  };
  const contentType = "application/vnd.microsoft.card.adaptive";
  return { type: "message", attachments: [{ contentType, contentUrl: null, content: card }] };
}

/** A TextBlock would render Markdown, including links planted by others. */
function paragraph(run: { text: string; size?: string; weight?: string; isSubtle?: boolean }) {
  return { type: "RichTextBlock", inlines: [{ type: "TextRun", ...run }] };
}

function toPlainJson(summary: ReportSummary): unknown {
  const { title, account, letterhead, range, sentences, headline, verdict, statements, notices, files } =
    summary;
  return {
    text: `${toOneLine(summary)}. ${verdict}`,
    title,
    account,
    name: letterhead.name ?? null,
    range,
    sentences: sentences.map((each) => ({ ...each, text: toSentenceText(each) })),
    headline,
    verdict,
    statements: statements.map(toSpoken),
    notices,
    files: files.map(({ name, bytes, sha256 }) => ({ name, bytes, sha256 })),
  };
}

function toOneLine(summary: ReportSummary): string {
  const figures = summary.headline.map((figure) => `${figure.name} ${inWords(figure)}`);
  const first = [...doubtsInWords(summary), ...summary.sentences.map(toSentenceText)];
  return `${summary.title}, ${subtitleOf(summary)}:${first.map((text) => ` ${text}`).join("")} ${figures.join(", ")}`;
}

function inWords(figure: Figure, blank = " "): string {
  const change = changeInWords(figure);
  return change === null ? figure.value : `${figure.value}${blank}(${change})`;
}

function subtitleOf({ letterhead: { name }, range }: ReportSummary): string {
  return name === undefined ? range : `${name}, ${range}`;
}

function filesInWords({ files, folder }: ReportSummary): string[] {
  if (files.length === 0) return [];
  const names = files.map(({ name, bytes }) => `${name} (${formatBytes(bytes)})`);
  return [`The sender has the files in ${folder}: ${names.join(", ")}`];
}

function inGroups<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, group) =>
    items.slice(group * size, (group + 1) * size),
  );
}

function cut(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join("")}…`;
}
