import { isLoopback } from "../../base/loopback.ts";
import { inLocale } from "../../base/text/locale.ts";
import { assertNoPlaceholder } from "../../config/placeholder-names.ts";
import { type Figure, type ListedFile, type Printers, printBlocks } from "../../export/blocks.ts";
import { verdictInWords } from "../../export/completeness.ts";
import type { Letterhead } from "../../export/letterhead/letterhead.ts";
import { type Sentence, toSentenceText } from "../../export/sentences/sentences.ts";
import { doubtsOf, type Statement, say, toSpoken } from "../../export/statements/statements.ts";
import { blocksOf } from "./report-blocks.ts";
import { changeInWords, type ReportSummary } from "./report-summary.ts";

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

interface SlackParts {
  blocks?: readonly unknown[];
  /** Lines of the last block. */
  notes?: readonly string[];
}

const toSection = (lines: readonly string[]) => ({
  type: "section",
  text: mrkdwn(lines.map(escapeSlack).join("\n")),
});

const SLACK: Printers<SlackParts> = {
  headline: ({ title, letterhead, range }) => ({
    blocks: [
      { type: "header", text: { type: "plain_text", text: cut(title, SLACK_HEADER) } },
      { type: "context", elements: [mrkdwn(escapeSlack(subtitleOf(letterhead, range)))] },
    ],
  }),
  doubts: ({ statements }) => ({ blocks: [toSection(statements.map(toText))] }),
  sentences: ({ sentences }) => ({ blocks: [toSection(sentences.map(toBullet))] }),
  figures: ({ figures }) => ({
    blocks: inGroups(figures.map(toSlackField), SLACK_FIELDS).map((fields) => ({ type: "section", fields })),
  }),
  // A channel has many readers.
  callers: () => ({}),
  verdict: (verdict) => ({ notes: [verdictInWords(verdict)] }),
  remarks: ({ lines }) => ({ notes: lines }),
  files: ({ files, folder }) => ({ notes: [filesInWords(files, folder)] }),
};

/** Slack's Block Kit: https://docs.slack.dev/reference/block-kit/blocks */
function toSlackMessage(summary: ReportSummary): unknown {
  const parts = printBlocks(blocksOf(summary), SLACK);
  const notes = parts.flatMap((part) => part.notes ?? []).map(escapeSlack);
  return {
    text: escapeSlack(toOneLine(summary)),
    blocks: [
      ...parts.flatMap((part) => part.blocks ?? []),
      { type: "context", elements: [mrkdwn(notes.join("\n"))] },
    ],
  };
}

function toSlackField(figure: Figure) {
  return mrkdwn(`*${escapeSlack(figure.name)}*\n${escapeSlack(inWords(figure, "  "))}`);
}

/** Verbatim, so that Slack does not turn words into links and mentions. */
function mrkdwn(text: string) {
  return { type: "mrkdwn", text: cut(text, SLACK_TEXT), verbatim: true };
}

/** Otherwise `<!channel>` would notify everybody. */
function escapeSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

const TEAMS: Printers<readonly unknown[]> = {
  headline: ({ title, letterhead, range }) => [
    paragraph({ text: title, size: "large", weight: "bolder" }),
    paragraph({ text: subtitleOf(letterhead, range), isSubtle: true }),
  ],
  doubts: ({ statements }) => statements.map((doubt) => paragraph({ text: toText(doubt), weight: "bolder" })),
  sentences: ({ sentences }) => sentences.map((each) => paragraph({ text: toBullet(each) })),
  figures: ({ figures }) => [
    { type: "FactSet", facts: figures.map((figure) => ({ title: figure.name, value: inWords(figure) })) },
  ],
  callers: () => [],
  verdict: (verdict) => [toNote(verdictInWords(verdict))],
  remarks: ({ lines }) => lines.map(toNote),
  files: ({ files, folder }) => [toNote(filesInWords(files, folder))],
};

/**
 * An Adaptive Card in a message, the only form that Teams workflows accept:
 * https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
 */
function toTeamsMessage(summary: ReportSummary): unknown {
  const card = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    body: printBlocks(blocksOf(summary), TEAMS).flat(),
  };
  const contentType = "application/vnd.microsoft.card.adaptive";
  return { type: "message", attachments: [{ contentType, contentUrl: null, content: card }] };
}

const toNote = (text: string) => paragraph({ text, size: "small" });

/** A TextBlock would render Markdown, including links planted by others. */
function paragraph(run: { text: string; size?: string; weight?: string; isSubtle?: boolean }) {
  return { type: "RichTextBlock", inlines: [{ type: "TextRun", ...run }] };
}

function toPlainJson(summary: ReportSummary): unknown {
  const { title, account, letterhead, range, sentences, headline, verdict, statements, notices, files } =
    summary;
  return {
    text: `${toOneLine(summary)}. ${verdictInWords(verdict)}`,
    title,
    account,
    name: letterhead.name ?? null,
    range,
    sentences: sentences.map((each) => ({ ...each, text: toSentenceText(each) })),
    headline,
    verdict: verdictInWords(verdict),
    statements: statements.map(toSpoken),
    notices,
    files: files.map(({ name, bytes, sha256 }) => ({ name, bytes, sha256 })),
  };
}

function toOneLine(summary: ReportSummary): string {
  const figures = summary.headline.map((figure) => `${figure.name} ${inWords(figure)}`);
  const first = [...doubtsOf(summary.statements).map(toText), ...summary.sentences.map(toSentenceText)];
  const subtitle = subtitleOf(summary.letterhead, summary.range);
  return `${summary.title}, ${subtitle}:${first.map((text) => ` ${text}`).join("")} ${figures.join(", ")}`;
}

function inWords(figure: Figure, blank = " "): string {
  const change = changeInWords(figure);
  return change === null ? figure.value : `${figure.value}${blank}(${change})`;
}

function subtitleOf({ name }: Letterhead, range: string): string {
  return name === undefined ? range : `${name}, ${range}`;
}

function filesInWords(files: readonly ListedFile[], folder: string): string {
  const names = files.map(({ name, content }) => `${name} (${content})`);
  return `The sender has the files in ${folder}: ${names.join(", ")}`;
}

const toText = (statement: Statement) => say(statement).text;

const toBullet = (sentence: Sentence) => `• ${toSentenceText(sentence)}`;

function inGroups<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, group) =>
    items.slice(group * size, (group + 1) * size),
  );
}

function cut(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join("")}…`;
}
