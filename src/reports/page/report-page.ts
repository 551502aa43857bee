import { html } from "hono/html";
import { daysInWords } from "../../base/calendar/period-text.ts";
import { inLocale } from "../../base/text/locale.ts";
import { toPrintable, toShort } from "../../base/text/printable.ts";
import { formatCount, formatQuantity } from "../../base/text/quantity-text.ts";
import { titleOf } from "../../export/letterhead/letterhead.ts";
import type { Html } from "../../export/letterhead/page-parts.ts";
import { endPage, startPage } from "../../export/letterhead/page-shell.ts";
import type { Manifest } from "../../export/manifest.ts";
import { basisSection } from "./page-basis.ts";
import { headline, printOnPage, verdictLine } from "./page-head.ts";
import { outcomeSection } from "./page-outcomes.ts";
import { chartSections } from "./page-sections.ts";
import { spendSection } from "./page-spend.ts";
import { PAGE_STYLE } from "./page-style.ts";
import type { Report } from "./report-figures.ts";

export async function toPage(report: Report): Promise<string> {
  return String(await inLocale(report.letterhead.locale, () => pageOf(report)));
}

function pageOf(report: Report): Html {
  const { letterhead, figures, manifest, sections, sentences } = report;
  const title = `Calls, ${daysInWords(manifest.range)}`;
  const isFiltered = Object.keys(manifest.filter).length > 1;
  const isEmpty = Number(figures.headline.calls) === 0;
  return html`${startPage(titleOf(letterhead, title), { style: PAGE_STYLE })}<header>
${printOnPage({ kind: "headline", of: { title, letterhead, range: describeScope(manifest) } })}
${verdictLine(report)}
</header>
<main>
${printOnPage({ kind: "sentences", of: { sentences } })}
${headline(report)}
${noticeSection(report)}
${sections.restatements()}
${isEmpty ? html`<p>No calls in these days${isFiltered ? " with this filter" : ""}.</p>${spendSection(report)}${outcomeSection(report)}` : chartSections(report)}
${sections.tags()}
${basisSection(report)}
</main>
${endPage()}`;
}

const MAX_FILTER_CHARACTERS = 100;
const shorten = (value: unknown) => toShort(String(value), MAX_FILTER_CHARACTERS);

function describeScope({ timezone, filter, compared_with }: Manifest): string {
  const { gone_calls, excluded_callers, excluded_callers_without_calls: _, ...values } = filter;
  const conditions = [
    ...Object.entries(values).map(
      ([name, value]) =>
        `${name.replaceAll("_", " ")}${value === true ? "" : `: ${[value].flat().map(shorten).join(" or ")}`}`,
    ),
    ...(excluded_callers ? [`without the calls of ${formatQuantity(excluded_callers, "number")}`] : []),
    ...(gone_calls === "counted" ? ["with calls that the service no longer lists"] : []),
  ];
  const before = compared_with ? `, compared with ${daysInWords(compared_with)}` : "";
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
