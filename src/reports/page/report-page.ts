import { html } from "hono/html";
import { HISTORY_DAYS } from "../../base/calendar/history.ts";
import { daysInWords } from "../../base/calendar/period-text.ts";
import { inLocale } from "../../base/text/locale.ts";
import { toPrintable, toShort } from "../../base/text/printable.ts";
import { formatCount, formatQuantity } from "../../base/text/quantity-text.ts";
import { titleOf } from "../../export/letterhead/letterhead.ts";
import { countOf, type Html } from "../../export/letterhead/page-parts.ts";
import { endPage, startPage, whose } from "../../export/letterhead/page-shell.ts";
import type { Manifest } from "../../export/manifest.ts";
import { toSentenceHtml } from "../../export/sentences/sentence-html.ts";
import { has } from "../../export/statements/statements.ts";
import { CHANCE_MEANING } from "../../figures/change-chance.ts";
import type { Figures } from "../../figures/sums.ts";
import type { Value } from "../../sources/figure-session.ts";
import { amountOf, answerRateOf, changeOf } from "./figure-text.ts";
import { basisSection, verdictLine } from "./page-basis.ts";
import { outcomeSection } from "./page-outcomes.ts";
import { chartSections } from "./page-sections.ts";
import { spendSection } from "./page-spend.ts";
import { PAGE_STYLE } from "./page-style.ts";
import type { Report } from "./report-figures.ts";

export async function toPage(report: Report): Promise<string> {
  return String(await inLocale(report.letterhead.locale, () => pageOf(report)));
}

function pageOf(report: Report): Html {
  const { letterhead, figures, manifest, sections } = report;
  const title = `Calls, ${daysInWords(manifest.range)}`;
  const isFiltered = Object.keys(manifest.filter).length > 1;
  const isEmpty = Number(figures.headline.calls) === 0;
  return html`${startPage(titleOf(letterhead, title), { style: PAGE_STYLE })}<header>
${whose(letterhead)}<h1>${title}</h1>
<p class="faint">${describeScope(manifest)}</p>
${verdictLine(report)}
</header>
<main>
${sentenceList(report)}
${headline(report)}
${noticeSection(report)}
${sections.restatements()}
${isEmpty ? html`<p>No calls in these days${isFiltered ? " with this filter" : ""}.</p>${spendSection(report)}${outcomeSection(report)}` : chartSections(report)}
${sections.tags()}
${basisSection(report)}
</main>
${endPage()}`;
}

function sentenceList({ sentences }: Report): Html | "" {
  if (sentences.length === 0) return "";
  return html`<ul class="sentences">${sentences.map((each) => html`<li>${toSentenceHtml(each)}</li>`)}</ul>`;
}

function headline(report: Report): Html {
  const {
    figures: { headline: figures, spend },
    manifest: { statements, range, spend: imported },
    compared: days,
  } = report;
  const compared = (of: Figures, column: string, before: Html) =>
    typeof of[`${column}_change`] === "number" ? changeOf(of, column, days, before) : "";
  const counted = (name: string, column: string) =>
    tile(name, countOf(figures[column]), compared(figures, column, countOf(figures[`${column}_previous`])));
  const missedInHours = () =>
    html`${compared(figures, "missed_in_hours", countOf(figures.missed_in_hours_previous))} <span class="line">of ${countOf(figures.calls_in_hours)} calls in them</span>`;
  const firstTime = () => {
    const name = "First-time callers";
    if (has(statements, "first_load"))
      return tile(name, html`–`, "unknown until the first load has finished");
    if (!range.short_history) return counted(name, "first_time_callers");
    const doubt = `may be too many: fewer than ${HISTORY_DAYS} days of calls before`;
    return tile(name, countOf(figures.first_time_callers), doubt);
  };
  const costs = spend?.costs;
  const cost = (name: string, column: string, divisor?: string) => {
    if (costs === undefined) return "";
    const { cost, cost_with_spend } = costs;
    const dividend = cost === cost_with_spend ? "" : html`${amountOf(cost_with_spend)} for `;
    const change = compared(costs, column, amountOf(costs[`${column}_previous`]));
    const calls =
      divisor &&
      html` <span class="line">${dividend}${countOf(costs[divisor])} calls of campaigns with spend</span>`;
    return tile(`${name}, ${imported?.currency}`, amountOf(costs[column]), html`${change}${calls}`);
  };
  const { outcomes } = report.figures;
  const revenueIn = report.manifest.outcomes?.currency;
  const isPriced = revenueIn != null;
  const earned = (name: string, column: string, show: (value: Value | undefined) => Html) =>
    outcomes === undefined
      ? ""
      : tile(
          column === "revenue" ? `${name}, ${revenueIn}` : name,
          show(outcomes.total[column]),
          compared(outcomes.total, column, show(outcomes.total[`${column}_previous`])),
        );
  return html`<dl class="tiles">
${counted("Calls", "calls")}
${cost("Cost", "cost")}
${counted("Qualified calls", "qualified_calls")}
${cost("Cost per qualified call", "cost_per_qualified_call", "qualified_calls")}
${tile("Answer rate", answerRateOf(figures), compared(figures, "answer_rate", answerRateOf(figures, "_previous")))}
${counted("Missed calls", "missed_calls")}
${figures.missed_in_hours == null ? "" : tile("Missed in opening hours", countOf(figures.missed_in_hours), missedInHours())}
${firstTime()}
${cost("Cost per call", "cost_per_call", "calls")}
${earned("Booked calls", "booked_calls", countOf)}
${isPriced ? earned("Revenue", "revenue", amountOf) : ""}
${isPriced && outcomes?.withSpend.return_on_ad_spend != null ? tile("Return on ad spend", amountOf(outcomes.withSpend.return_on_ad_spend), "revenue / cost, of campaigns with spend") : ""}
</dl>
${typeof figures.calls_change === "number" ? html`<p class="faint">${CHANCE_MEANING}</p>` : ""}`;
}

const tile = (name: string, value: Html, note: Html | string) =>
  html`<div><dt>${name}</dt><dd>${value}</dd><dd>${note}</dd></div>`;

const MAX_FILTER_CHARACTERS = 100;
const shorten = (value: unknown) => toShort(String(value), MAX_FILTER_CHARACTERS);

function describeScope({ timezone, filter, compared_with: [compared] = [] }: Manifest): string {
  const { gone_calls, excluded_callers, excluded_callers_without_calls: _, ...values } = filter;
  const conditions = [
    ...Object.entries(values).map(
      ([name, value]) =>
        `${name.replaceAll("_", " ")}${value === true ? "" : `: ${[value].flat().map(shorten).join(" or ")}`}`,
    ),
    ...(excluded_callers ? [`without the calls of ${formatQuantity(excluded_callers, "number")}`] : []),
    ...(gone_calls === "counted" ? ["with calls that the service no longer lists"] : []),
  ];
  const before = compared ? `, compared with ${daysInWords(compared)}` : "";
  const calls = conditions.length > 0 ? `Filter: ${conditions.join("; ")}.` : "All calls.";
  return toPrintable(`Days of ${timezone}${before}. ${calls}`);
}

const ROWS_SHOWN = 25;

function noticeSection({ notices, manifest }: Report): Html | "" {
  if (notices.length === 0) return "";
  const rest = notices.length - ROWS_SHOWN;
  return html`<h2>Notices: calls that went silent or far off</h2>
<ul>${notices.slice(0, ROWS_SHOWN).map(({ describe }) => html`<li><bdi>${toPrintable(describe(manifest.timezone))}</bdi></li>`)}</ul>
${rest > 0 ? html`<p class="faint">${formatCount(rest)} more.</p>` : ""}`;
}
