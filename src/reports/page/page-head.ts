import { html } from "hono/html";
import { HISTORY_DAYS } from "../../base/calendar/history.ts";
import { toPrintable } from "../../base/text/printable.ts";
import { formatAmount } from "../../base/text/quantity-text.ts";
import { type Block, type Figure, type Printers, printBlock, statementBlocks } from "../../export/blocks.ts";
import { judgeCompleteness } from "../../export/completeness.ts";
import { countOf, figure, type Html, NONE } from "../../export/letterhead/page-parts.ts";
import { whose } from "../../export/letterhead/page-shell.ts";
import { toSentenceHtml } from "../../export/sentences/sentence-html.ts";
import { has, say } from "../../export/statements/statements.ts";
import { CHANCE_MEANING } from "../../figures/change-chance.ts";
import { amountOf } from "./figure-text.ts";
import { type HeadlineColumn, toPageFigure } from "./headline.ts";
import type { Report } from "./report-figures.ts";

type PageKind = "headline" | "verdict" | "sentences" | "figures";

/** How pages print what comes first. */
const PAGE: Printers<Html | readonly Html[] | "", PageKind> = {
  headline: ({ title, letterhead, range }) => html`${whose(letterhead)}<h1>${title}</h1>
<p class="faint">${range}</p>`,
  verdict: ({ claim, reasons, isProven }) =>
    html`<p class="verdict${isProven ? "" : " doubt"}"><strong>${claim}</strong> ${toPrintable(reasons.join(" "))} <a href="#basis">What these figures are based on</a></p>`,
  sentences: ({ sentences }) =>
    sentences.length === 0
      ? ""
      : html`<ul class="sentences">${sentences.map((each) => html`<li>${toSentenceHtml(each)}</li>`)}</ul>`,
  figures: ({ figures }) => figures.map(toTile),
};

export const printOnPage = (block: Block<PageKind>) => printBlock(block, PAGE);

function toTile({ name, value, change, previous, within_chance, numbers, note = "" }: Figure): Html {
  const shown = (number: number | null | undefined, text: string | null) =>
    figure(number ?? undefined, () => text ?? NONE);
  const changed =
    change === null ? "" : html`${shown(numbers?.change, change)} from ${shown(numbers?.previous, previous)}`;
  const judged = within_chance ? html`<span class="chance">${changed}, within chance</span>` : changed;
  return html`<div><dt>${name}</dt><dd>${shown(numbers?.value, value)}</dd><dd>${judged}${note}</dd></div>`;
}

/** Says how complete the figures are, and what is to know about them. */
export function verdictLine({ manifest, coverage }: Report) {
  const { statements } = manifest;
  const { reasons, ...verdict } = judgeCompleteness(manifest, coverage);
  const { doubts, remarks } = statementBlocks(statements, "see below");
  const doubted = doubts.flatMap(({ of }) => of.statements.map((doubt) => say(doubt).text));
  return printOnPage({ kind: "verdict", of: { ...verdict, reasons: [...doubted, ...reasons, ...remarks] } });
}

/** In the order of their tiles. */
const COLUMNS: readonly HeadlineColumn[] = [
  ...["calls", "cost", "qualified_calls", "cost_per_qualified_call"],
  ...["answer_rate", "missed_calls", "missed_in_hours", "first_time_callers"],
  ...["cost_per_call", "booked_calls", "revenue"],
] as const;

/** Shows the figures of all calls. */
export function headline(report: Report): Html {
  const {
    compared,
    manifest,
    figures: { headline: calls, spend, outcomes },
  } = report;
  const currencies = {
    costs: manifest.spend?.currency ?? null,
    outcomes: manifest.outcomes?.currency ?? null,
  };
  const source = { calls, costs: spend?.costs, outcomes: outcomes?.total, currencies, compared };
  const figures = COLUMNS.map((column) =>
    toPageFigure(source, column).map((each) => ({ ...each, ...doubtOf(report, column) })),
  );
  const tiles = [...figures, returnOnSpend(report)].map(
    (figures) => html`${printOnPage({ kind: "figures", of: { figures } })}\n`,
  );
  return html`<dl class="tiles">
${tiles}</dl>
${typeof calls.calls_change === "number" ? html`<p class="faint">${CHANCE_MEANING}</p>` : ""}`;
}

/** Returns what a figure has besides its change, or in place of it. */
function doubtOf({ figures, manifest }: Report, column: HeadlineColumn): Partial<Figure> {
  const { headline: calls, spend } = figures;
  const { statements, range } = manifest;
  const line = (text: Html) => ({ note: html` <span class="line">${text}</span>` });
  const ofCampaigns = (divisor: string) => {
    const { cost, cost_with_spend, [divisor]: count } = spend?.costs ?? {};
    const dividend = cost === cost_with_spend ? "" : html`${amountOf(cost_with_spend)} for `;
    return line(html`${dividend}${countOf(count)} calls of campaigns with spend`);
  };
  switch (column) {
    case "missed_in_hours":
      return line(html`of ${countOf(calls.calls_in_hours)} calls in them`);
    case "cost_per_call":
      return ofCampaigns("calls");
    case "cost_per_qualified_call":
      return ofCampaigns("qualified_calls");
    case "first_time_callers":
      if (has(statements, "first_load"))
        return { ...UNKNOWN, note: "unknown until the first load has finished" };
      if (range.short_history)
        return { ...UNCHANGED, note: `may be too many: fewer than ${HISTORY_DAYS} days of calls before` };
      return {};
    default:
      return {};
  }
}

const UNCHANGED = { change: null, previous: null, within_chance: false };
const UNKNOWN = { ...UNCHANGED, value: NONE, numbers: { value: null, change: null, previous: null } };

function returnOnSpend({ figures: { outcomes }, manifest }: Report): Figure[] {
  const value = outcomes?.withSpend.return_on_ad_spend;
  if (manifest.outcomes?.currency == null || typeof value !== "number") return [];
  return [
    {
      ...UNCHANGED,
      name: "Return on ad spend",
      value: formatAmount(value),
      numbers: { value, change: null, previous: null },
      note: "revenue / cost, of campaigns with spend",
    },
  ];
}
