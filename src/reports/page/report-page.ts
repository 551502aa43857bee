import { html } from "hono/html";
import { HISTORY_DAYS } from "../../base/calendar/history.ts";
import { daysInWords } from "../../base/calendar/period-text.ts";
import { inLocale } from "../../base/text/locale.ts";
import { toPrintable, toShort } from "../../base/text/printable.ts";
import { formatCount, formatMoney, formatQuantity } from "../../base/text/quantity-text.ts";
import { titleOf as titleWithName } from "../../export/letterhead/letterhead.ts";
import { endPage, startPage, whose } from "../../export/letterhead/page-shell.ts";
import type { Manifest } from "../../export/manifest.ts";
import { verdict } from "../../export/sections/basis.ts";
import { type Content, element } from "../../export/sections/element.ts";
import { sentence } from "../../export/sections/sentences.ts";
import { changeLegend, type Tile, tiles } from "../../export/sections/tiles.ts";
import { toHtml } from "../../export/sections/to-html.ts";
import { has } from "../../export/statements/statements.ts";
import { readerOf, titleOf } from "../../figures/figure-text.ts";
import type { Measure } from "../../figures/rollup-query.ts";
import type { Figures } from "../../figures/sums.ts";
import { metricsNamed, paragraph } from "./figure-rows.ts";
import { ofBasis } from "./page-basis.ts";
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
  return html`${startPage(titleWithName(letterhead, title), { style: PAGE_STYLE })}<header>
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

function headline(report: Report): Content {
  const { figures, manifest, compared, measures } = report;
  const { headline: all, spend, outcomes } = figures;
  const { statements, range } = manifest;
  const tilesOf = (
    names: readonly string[],
    of: Figures | undefined,
    notes: Readonly<Record<string, Content>> = {},
  ) =>
    metricsNamed(measures, of === undefined ? [] : names)
      .filter(({ name }) => name in (of ?? {}) && !(name in OPTIONAL && of?.[name] == null))
      .map((metric): Tile => {
        const read = readerOf(of ?? {});
        return { name: titleOf(metric.name), metric, read, compared, note: notes[metric.name] };
      });
  const costs = spend?.costs;
  const byName = new Map(
    [
      ...tilesOf(COUNTS, first(all, report), {
        missed_in_hours: `of ${formatQuantity(Number(all.calls_in_hours), "call")} in them`,
        first_time_callers: has(statements, "first_load")
          ? "unknown until the first load has finished"
          : range.short_history && `may be too many: fewer than ${HISTORY_DAYS} days of calls before`,
      }),
      ...tilesOf(COSTS, costs, costs && notesOfCosts(costs, measures)),
      ...tilesOf(EARNED, outcomes?.total),
      ...tilesOf(["return_on_ad_spend"], outcomes?.withSpend, {
        return_on_ad_spend: "revenue / cost, of campaigns with spend",
      }),
    ].map((each) => [each.metric.name, each]),
  );
  return [
    tiles(HEADLINE.flatMap((name) => byName.get(name) ?? [])),
    typeof all.calls_change === "number" && changeLegend(),
  ];
}

const COUNTS = [
  "calls",
  "qualified_calls",
  "answer_rate",
  "missed_calls",
  "missed_in_hours",
  "first_time_callers",
];
const COSTS = ["cost", "cost_per_qualified_call", "cost_per_call"];
const EARNED = ["booked_calls", "revenue"];
const HEADLINE = [
  ...["calls", "cost", "qualified_calls", "cost_per_qualified_call", "answer_rate", "missed_calls"],
  ...["missed_in_hours", "first_time_callers", "cost_per_call", ...EARNED, "return_on_ad_spend"],
];
/** Without a value, they have no tile. */
const OPTIONAL = { missed_in_hours: true, revenue: true, return_on_ad_spend: true };

/** First-time callers are unknown during a first load, and not compared without history. */
function first(all: Figures, { manifest: { statements, range } }: Report): Figures {
  return {
    ...all,
    ...(has(statements, "first_load") && { first_time_callers: null }),
    ...(range.short_history && { first_time_callers_change: null }),
  };
}

/** Which calls a cost is of: those of campaigns with spend. */
function notesOfCosts(costs: Figures, measures: readonly Measure[]): Record<string, Content> {
  const [cost] = metricsNamed(measures, ["cost"]);
  const spent = typeof costs.cost_with_spend === "number" ? costs.cost_with_spend : 0;
  const amount = costs.cost === costs.cost_with_spend ? "" : `${formatMoney(spent, cost?.currency)} for `;
  const note = (calls: string) =>
    `${amount}${formatCount(Number(costs[calls]))} calls of campaigns with spend`;
  return { cost_per_qualified_call: note("qualified_calls"), cost_per_call: note("calls") };
}

const MAX_FILTER_CHARACTERS = 100;
const shorten = (value: unknown) => toShort(String(value), MAX_FILTER_CHARACTERS);

/** The days, the zone and the filter. */
function describeScope({ timezone, filter, compared_with }: Manifest): string {
  const { gone_calls, excluded_callers, excluded_callers_without_calls: _, ...values } = filter;
  const said = [
    ...Object.entries(values).map(
      ([name, value]) =>
        `${name.replaceAll("_", " ")}${value === true ? "" : `: ${[value].flat().map(shorten).join(" or ")}`}`,
    ),
    ...(excluded_callers ? [`without the calls of ${formatQuantity(excluded_callers, "number")}`] : []),
    ...(gone_calls === "counted" ? ["with calls that the service no longer lists"] : []),
  ];
  const before = compared_with ? `, compared with ${daysInWords(compared_with)}` : "";
  const calls = said.length > 0 ? `Filter: ${said.join("; ")}.` : "All calls.";
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
