import { html } from "hono/html";
import { daysInWords, labelOf, longLabelOf } from "../../base/calendar/period-text.ts";
import { capitalized } from "../../base/text/capitalized.ts";
import { formatCount, formatQuantity } from "../../base/text/quantity-text.ts";
import { countOf, type Html, headRow, isolated, scrolled } from "../../export/letterhead/page-parts.ts";
import type { Manifest } from "../../export/manifest.ts";
import { has, say } from "../../export/statements/statements.ts";
import type { Dimension } from "../../figures/dimensions.ts";
import type { DurationBand } from "../../figures/duration-bands.ts";
import type { Figures } from "../../figures/sums.ts";
import { answerRateOf, changeOf, durationOf, formatDuration } from "./figure-text.ts";
import { outcomeSection } from "./page-outcomes.ts";
import { chart, legend, measured, nameAmong, nameOf, numbers, rowHead, SEE_TABLE } from "./page-parts.ts";
import { spendSection } from "./page-spend.ts";
import { weekSection } from "./page-week.ts";
import { drawBars, type Series, toChannelSeries } from "./report-charts.ts";
import { isNotSet, type Ranking, type Report, type ReportFigures } from "./report-figures.ts";

/** Longer spans show the year of each day. */
const DAYS_OF_YEAR = 365;

export function chartSections(report: Report): Html {
  const { figures, grain, days, manifest } = report;
  return html`${periodSection(figures, grain, days)}
${channelSection(report)}
${rankingSection("Sources", "source", figures.sources, report)}
${rankingSection("Campaigns", "campaign", figures.campaigns, report)}
${figures.topics ? rankingSection("Topics", "topic", figures.topics, report) : ""}
${spendSection(report)}
${outcomeSection(report)}
${weekSection(figures, manifest.timezone, days)}
${callerSection(figures, grain, manifest)}
${durationSection(figures, manifest)}
${moverSection(report)}`;
}

function periodSection({ periods, headline: all }: ReportFigures, grain: string, days: number): Html {
  const title = `${formatQuantity(Number(all.calls), "call")} in ${formatQuantity(days, "day")}${describeMost(periods, grain)}`;
  const caption = `Calls by ${grain}`;
  return html`<h2>${title}</h2>
${periodChart(caption, periods, outcomeSeries(periods))}
${periodNumbers(caption, periods, [
  { name: "Calls", values: valuesOf(periods, "calls") },
  { name: "Answered", values: valuesOf(periods, "answered_calls") },
  { name: "Missed", values: valuesOf(periods, "missed_calls") },
  { name: "Other", values: valuesOf(periods, "other_calls") },
])}`;
}

function describeMost(periods: readonly Figures[], grain: string): string {
  if (periods.length === 1) return "";
  const most = Math.max(...valuesOf(periods, "calls"));
  const [busiest, tied] = periods.filter(({ calls }) => calls === most);
  if (tied !== undefined) return `, at most ${formatCount(most)} in one ${grain}`;
  return `, most ${grain === "day" ? "on" : "in"} ${longLabelOf(String(busiest?.period))} (${formatCount(most)})`;
}

function channelSection(report: Report): Html {
  const { figures, grain } = report;
  const { channels, periods, headline: all } = figures;
  const [first, second] = channels.shown;
  const [most, calls] = [formatCount(Number(first?.calls)), formatQuantity(Number(all.calls), "call")];
  const title =
    second === undefined
      ? `${first?.channel} is the only channel, with ${calls}`
      : second.calls === first?.calls
        ? `No channel leads: several have ${most} of ${calls} each`
        : `${first?.channel} leads the channels, with ${most} of ${calls}`;
  const series = toChannelSeries(figures);
  const caption = `Calls by channel and ${grain}`;
  return html`<h2>${title}</h2>
${periodChart(caption, periods, series)}
${rankingTable("channel", channels, report)}
${periodNumbers(caption, periods, series)}`;
}

function rankingSection(title: string, dimension: Dimension, ranking: Ranking, report: Report): Html {
  return html`<h2>${title}: ${describeLead(dimension, ranking)}</h2>
${rankingTable(dimension, ranking, report)}`;
}

function describeLead(dimension: Dimension, { shown, rest }: Ranking): Html | string {
  const named = shown.filter((figures) => !isNotSet(figures));
  const [first, second] = named;
  if (first === undefined) return "no call has one";
  const count = named.length + (rest?.rows ?? 0);
  const calls = formatQuantity(Number(first.calls), "call");
  if (second?.calls === first.calls) return `none of ${formatCount(count)} leads, several have ${calls} each`;
  const name = nameAmong(shown, first, dimension);
  return second === undefined
    ? html`${name} is the only one, with ${calls}`
    : html`${name} is first of ${formatCount(count)}, with ${calls}`;
}

function rankingTable(dimension: Dimension, { shown, rest }: Ranking, report: Report): Html {
  const { figures, compared, manifest } = report;
  const { headline: all } = figures;
  const isFirstLoad = has(manifest.statements, "first_load");
  const most = Math.max(1, ...shown.map(({ calls }) => Number(calls)), Number(rest?.figures.calls ?? 0));
  const cells = (figures: Figures) => html`<td>${changeOf(figures, "calls", compared)}</td>
<td>${answerRateOf(figures)}</td>
<td>${changeOf(figures, "answer_rate", compared)}</td>
<td>${countOf(figures.missed_calls)}</td>
<td>${countOf(figures.qualified_calls)}</td>
<td>${countOf(isFirstLoad ? null : figures.first_time_callers)}</td>`;
  const line = (name: Html | string, figures: Figures) => {
    return html`<tr>${rowHead(name, figures)}
<td>${measured(countOf(figures.calls), Number(figures.calls) / most)}</td>
${cells(figures)}</tr>
`;
  };
  return scrolled(
    `Calls by ${dimension}`,
    html`${headRow([capitalized(dimension), ...RANKING_HEADS])}
<tbody>
${shown.map((figures) => line(isolated(nameOf(figures, dimension)), figures))}
${rest === undefined ? "" : line(restName(rest.rows), rest.figures)}
</tbody>
<tfoot><tr>${rowHead("(total)")}<td>${countOf(all.calls)}</td>
${cells(all)}</tr></tfoot>`,
  );
}

const RANKING_HEADS = ["Calls", "Change", "Answer rate", "Points", "Missed", "Qualified", "First-time"];

function restName(rows: number): string {
  return rows === 0 ? "(other): calls only in the previous period" : `(other): ${formatCount(rows)} more`;
}

function callerSection({ periods, headline: all }: ReportFigures, grain: string, manifest: Manifest): Html {
  const { statements } = manifest;
  if (has(statements, "first_load"))
    return html`<h2>First-time callers are unknown until the first load has finished</h2>`;
  const returning = periods.map((row) => Number(row.unique_callers) - Number(row.first_time_callers));
  const title = `${formatQuantity(Number(all.first_time_callers), "caller")} called for the first time`;
  const series: Series[] = [
    { name: "first call in the copy", color: "first-call", values: valuesOf(periods, "first_time_callers") },
    { name: "called before", color: "called-before", values: returning },
  ];
  const caption = `Callers by ${grain}; callers in two of them count in both`;
  const history = statements.filter(({ id }) => id.startsWith("short_history")).map((each) => say(each).text);
  return html`<h2>${title}</h2>
${history.length === 0 ? "" : html`<p>${history.join(" ")}</p>`}
${periodChart(caption, periods, series)}
${periodNumbers(caption, periods, [
  { name: "Callers", values: valuesOf(periods, "unique_callers") },
  ...series.map(({ name, values }) => ({ name: capitalized(name), values })),
])}`;
}

function durationSection({ durations, headline: all }: ReportFigures, { rules }: Manifest): Html {
  const names = durations.map(bandName);
  const median = all.median_duration_seconds;
  const long = `${formatDuration(rules.qualified_seconds)} or longer`;
  const unless = rules.topics > 0 ? ", unless the topic decides" : "";
  const title =
    typeof median === "number"
      ? `${formatCount(Number(all.qualified_calls))} of ${formatQuantity(Number(all.calls), "call")} qualified: answered, and ${long}${unless}`
      : "No call has a duration";
  const series = outcomeSeries(
    durations.map((band) => ({ ...band, other_calls: band.calls - band.answered_calls - band.missed_calls })),
  );
  const caption = `Calls by duration; answered calls of ${long} are qualified${unless}`;
  return html`<h2>${title}</h2>
<p>Of the calls that have a duration: average ${durationOf(all.average_duration_seconds)}, median ${durationOf(median)}, in minutes and seconds.</p>
${barChart(
  names.map((name) => name.replace("–", "\n–")),
  series,
  { caption, label: title, axisName: "minutes:seconds, in bands of unequal length" },
)}
${numbers(caption, "Duration", names, [
  { name: "Calls", values: durations.map(({ calls }) => calls) },
  { name: "Answered", values: durations.map(({ answered_calls }) => answered_calls) },
  { name: "Missed", values: durations.map(({ missed_calls }) => missed_calls) },
])}`;
}

function moverSection({ figures: { movers }, manifest: { compared_with: [before] = [] } }: Report): Html {
  const daysBefore = daysInWords(before ?? {});
  const list = (title: string, moved: ReportFigures["movers"]["up"]) => {
    if (moved.length === 0) return html`<h3>${title}</h3><p class="faint">None.</p>`;
    const rows = moved.map(({ dimension, figures, change }) => {
      const name = html`${capitalized(dimension)} ${isolated(nameOf(figures, dimension))}`;
      return html`<tr>${rowHead(name, figures)}
<td><data value="${change}">${change > 0 ? "+" : ""}${formatCount(change)}</data></td><td>${countOf(figures.calls)}</td><td>${countOf(figures.calls_previous)}</td></tr>`;
    });
    return html`<h3>${title}</h3>
${scrolled(title, html`${headRow(["What", "Change", "Calls", "Before"])}<tbody>${rows}</tbody>`)}`;
  };
  const { compared } = movers;
  if (compared === 0) return html``;
  if (movers.up.length + movers.down.length === 0) {
    return html`<h2>Nothing moved beyond chance</h2>
<p class="faint">None of ${formatQuantity(compared, "comparison")} with ${daysBefore} shows more than chance explains.</p>`;
  }
  return html`<h2>What moved most</h2>
<p class="faint">Only changes that chance does not explain, even with ${formatQuantity(compared, "comparison")}.</p>
${list(`More calls than ${daysBefore}`, movers.up)}
${list(`Fewer calls than ${daysBefore}`, movers.down)}`;
}

function periodNumbers(
  caption: string,
  periods: readonly Figures[],
  columns: readonly Pick<Series, "name" | "values">[],
): Html {
  const names = periods.map(({ period }) => String(period));
  return numbers(caption, "Period", names, columns);
}

function periodChart(caption: string, periods: readonly Figures[], series: readonly Series[]): Html {
  const label = periods.length > DAYS_OF_YEAR ? longLabelOf : labelOf;
  const labels = periods.map(({ period }) => label(String(period)));
  return barChart(labels, series, { caption, label: caption });
}

function barChart(
  names: readonly string[],
  series: readonly Series[],
  { caption, label, axisName }: { caption: string; label: string; axisName?: string },
): Html {
  const draw = (width: number) =>
    drawBars(names, series, { width, label: `${label}. ${SEE_TABLE}`, axisName });
  return chart(draw, { caption, legend: legend(series) });
}

function outcomeSeries(rows: readonly Figures[]): Series[] {
  const series: Series[] = [
    { name: "answered", color: "answered", values: valuesOf(rows, "answered_calls") },
    { name: "missed", color: "missed", values: valuesOf(rows, "missed_calls") },
    { name: "other", color: "other", values: valuesOf(rows, "other_calls") },
  ];
  return series.filter(({ values }) => values.some((value) => value > 0));
}

function valuesOf(rows: readonly Figures[], name: string): number[] {
  return rows.map((row) => Number(row[name]));
}

function bandName({ from_seconds: from, to_seconds: to }: DurationBand): string {
  if (from === null) return to === null ? "none" : "below 0";
  return to === null ? `${formatDuration(from)}+` : `${formatDuration(from)}–${formatDuration(to - 1)}`;
}
