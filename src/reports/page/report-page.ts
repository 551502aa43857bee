import { html } from "hono/html";
import { daysInWords } from "../../base/calendar/period-text.ts";
import { inLocale } from "../../base/text/locale.ts";
import { toPrintable, toShort } from "../../base/text/printable.ts";
import { formatCount, formatQuantity } from "../../base/text/quantity-text.ts";
import { titleOf } from "../../export/letterhead/letterhead.ts";
import { endPage, startPage, whose } from "../../export/letterhead/page-shell.ts";
import type { Manifest } from "../../export/manifest.ts";
import { verdict } from "../../export/sections/basis.ts";
import { type Content, element } from "../../export/sections/element.ts";
import { sentence } from "../../export/sections/sentences.ts";
import { toHtml } from "../../export/sections/to-html.ts";
import { paragraph } from "./figure-rows.ts";
import { ofBasis } from "./page-basis.ts";
import { headline } from "./page-headline.ts";
import { outcomeSection } from "./page-outcomes.ts";
import { chartSections } from "./page-sections.ts";
import { spendSection } from "./page-spend.ts";
import { PAGE_STYLE } from "./page-style.ts";
import type { Report } from "./report-figures.ts";

export async function toPage(report: Report): Promise<string> {
  return String(await inLocale(report.letterhead.locale, () => pageOf(report)));
}

function pageOf(report: Report) {
  const { letterhead, manifest, coverage } = report;
  const title = `Calls, ${daysInWords(manifest.range)}`;
  const header = [
    element("h1", {}, title),
    element("p", { class: "faint" }, describeScope(manifest)),
    verdict(manifest, coverage),
  ];
  return html`${startPage(titleOf(letterhead, title), { style: PAGE_STYLE })}<header>
${whose(letterhead)}${toHtml(header)}
</header>
<main>
${toHtml(sectionsOf(report))}
</main>
${endPage()}`;
}

function sectionsOf(report: Report): Content {
  const { figures, manifest, sections } = report;
  const isEmpty = Number(figures.headline.calls) === 0;
  const isFiltered = Object.keys(manifest.filter).length > 1;
  const none = `No calls in these days${isFiltered ? " with this filter" : ""}.`;
  return [
    sentenceList(report),
    headline(report),
    noticeSection(report),
    sections.restatements(),
    isEmpty ? [paragraph(none), spendSection(report), outcomeSection(report)] : chartSections(report),
    sections.tags(),
    ofBasis(report),
  ];
}

function sentenceList({ sentences }: Report): Content {
  if (sentences.length === 0) return null;
  return element("ul", { class: "sentences" }, ...sentences.map((each) => element("li", {}, sentence(each))));
}

const MAX_FILTER_CHARACTERS = 100;
const shorten = (value: unknown) => toShort(String(value), MAX_FILTER_CHARACTERS);

/** The days, the zone and the filter. */
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

function noticeSection({ notices, manifest }: Report): Content {
  if (notices.length === 0) return null;
  const rest = notices.length - ROWS_SHOWN;
  const items = notices.slice(0, ROWS_SHOWN).map(({ describe }) => toPrintable(describe(manifest.timezone)));
  return [
    element("h2", {}, "Notices: calls that went silent or far off"),
    element("ul", {}, ...items.map((text) => element("li", {}, element("bdi", {}, text)))),
    rest > 0 && element("p", { class: "faint" }, `${formatCount(rest)} more.`),
  ];
}
