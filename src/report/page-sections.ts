import { html } from "hono/html";
import type { Manifest } from "../export/manifest.ts";
import type { Dimension } from "../rollup/dimensions.ts";
import type { DurationBand } from "../rollup/duration-bands.ts";
import {
  changeOf,
  countOf,
  durationOf,
  formatCount,
  formatDuration,
  formatQuantity,
  formatShare,
  type Html,
  shareOf,
} from "./figure-text.ts";
import { bar, chart, heatLegend, isolated, legend, numbers } from "./page-parts.ts";
import { capitalized, labelOf } from "./period-text.ts";
import {
  drawBars,
  drawWeek,
  HOURS,
  heatSteps,
  type Series,
  toChannelSeries,
  toWeek,
  WEEKDAYS,
} from "./report-charts.ts";
import type { Figures, Ranking, ReportFigures } from "./report-figures.ts";
import type { Report } from "./report-page.ts";

/** What stands for the picture where it is not seen. */
const SEE_TABLE = "The table below has the numbers.";

/** Returns what a report shows of its calls, of which there are some. */
export function chartSections({ figures, grain, manifest }: Report): Html {
  return html`${periodSection(figures, grain)}
${channelSection(figures, grain)}
${rankingSection("Sources", "source", figures.sources, figures.headline)}
${rankingSection("Campaigns", "campaign", figures.campaigns, figures.headline)}
${weekSection(figures, manifest.timezone)}
${callerSection(figures, grain)}
${durationSection(figures, manifest)}
${moverSection(figures)}`;
}

function periodSection({ periods, headline: all }: ReportFigures, grain: string): Html {
  const busiest = periods.reduce((most, row) => (Number(row.calls) > Number(most.calls) ? row : most));
  const title = `${formatQuantity(Number(all.calls), "call")} in ${formatQuantity(periods.length, grain)}: ${formatCount(
    Math.round(Number(all.calls) / periods.length),
  )} a ${grain}, most ${grain === "day" ? "on" : "in"} ${labelOf(String(busiest.period))} (${formatCount(Number(busiest.calls))})`;
  return html`<h2>${title}</h2>
${periodChart(`Calls by ${grain}`, periods, outcomeSeries(periods))}
${numbers(
  ["Period", "Calls", "Answered", "Missed", "Other"],
  periods.map((row) => [
    String(row.period),
    ...["calls", "answered_calls", "missed_calls", "other_calls"].map((name) => countOf(row[name])),
  ]),
)}`;
}

function channelSection(figures: ReportFigures, grain: string): Html {
  const { channels, periods, headline: all } = figures;
  const [first] = channels.shown;
  const title = `${first?.channel} brought ${formatShare(Number(first?.calls) / Number(all.calls))} of all calls`;
  const series = toChannelSeries(figures);
  return html`<h2>${title}</h2>
${periodChart(`Calls by channel and ${grain}`, periods, series)}
${rankingTable("channel", channels, all)}
${numbers(
  ["Period", ...series.map(({ name }) => name)],
  periods.map((row, index) => [String(row.period), ...series.map(({ values }) => countOf(values[index]))]),
)}`;
}

function rankingSection(title: string, dimension: Dimension, ranking: Ranking, all: Figures): Html {
  const { shown, rest } = ranking;
  const [first] = shown;
  const found = shown.length + (rest?.rows ?? 0);
  return html`<h2>${title}: ${isolated(nameOf(first, dimension))} is first of ${formatCount(found)}, with ${formatQuantity(Number(first?.calls), "call")}</h2>
${rankingTable(dimension, ranking, all)}`;
}

function rankingTable(dimension: Dimension, { shown, rest }: Ranking, all: Figures): Html {
  const most = Math.max(1, ...shown.map(({ calls }) => Number(calls)), Number(rest?.figures.calls ?? 0));
  const cells = (figures: Figures) => html`<td>${changeOf(figures.calls_change)}</td>
<td>${shareOf(figures.answer_rate)}</td>
<td>${countOf(figures.missed_calls)}</td>
<td>${countOf(figures.qualified_calls)}</td>
<td>${countOf(figures.first_time_callers)}</td>`;
  const line = (name: Html | string, figures: Figures) => html`<tr><th scope="row">${name}</th>
<td>${bar(Number(figures.calls) / most)}${countOf(figures.calls)}</td>
${cells(figures)}</tr>
`;
  const heads = ["Calls", "Change", "Answered", "Missed", "Qualified", "First-time"];
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Calls by ${dimension}"><table>
<thead><tr><th scope="col">${capitalized(dimension)}</th>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>
${shown.map((figures) => line(isolated(nameOf(figures, dimension)), figures))}
${rest === undefined ? "" : line(restName(rest.rows), rest.figures)}
</tbody>
<tfoot><tr><th scope="row">(total)</th><td>${countOf(all.calls)}</td>
${cells(all)}</tr></tfoot></table></div>`;
}

function restName(rows: number): string {
  return rows === 0 ? "(other): calls in the stretch before only" : `(other): ${formatCount(rows)} more`;
}

function weekSection({ hours }: ReportFigures, timezone: string): Html {
  const week = (name: string, noun: string) => {
    const cells = toWeek(hours, name);
    const [busiest, most] = [...cells].reduce((a, b) => (b[1] > a[1] ? b : a), ["", 0]);
    const when = busiest.replace(
      /^(\w+) (\d\d)$/,
      (_, day: string, hour: string) => `${day}s from ${hour}:00 to ${nextHour(hour)}:00`,
    );
    const title = most === 0 ? `No ${noun}` : `Most ${noun} come on ${when} (${formatCount(most)})`;
    const caption = `${capitalized(noun)} by weekday and hour, as clocks in ${timezone} showed them`;
    const svg = drawWeek(cells, `${title}. ${SEE_TABLE}`);
    return html`<h3>${title}</h3>
${chart(svg, { caption, legend: heatLegend(heatSteps(cells)) })}
${numbers(
  ["Weekday", ...HOURS],
  WEEKDAYS.map((day) => [day, ...HOURS.map((hour) => countOf(cells.get(`${day} ${hour}`) ?? 0))]),
)}`;
  };
  return html`<h2>When calls come, and when they are missed</h2>
${week("calls", "calls")}
${week("missed_calls", "missed calls")}`;
}

function callerSection({ periods, headline: all }: ReportFigures, grain: string): Html {
  const returning = periods.map((row) => Number(row.unique_callers) - Number(row.first_time_callers));
  const title = `${formatQuantity(Number(all.first_time_callers), "caller")} called for the first time`;
  const series: Series[] = [
    { name: "first call ever", color: 3, values: valuesOf(periods, "first_time_callers") },
    { name: "called before", color: 7, values: returning },
  ];
  return html`<h2>${title}</h2>
${periodChart(`Callers by ${grain}; who called in two of them counts in both`, periods, series)}
${numbers(
  ["Period", "Callers", "First call ever", "Called before"],
  periods.map((row, index) => [
    String(row.period),
    countOf(row.unique_callers),
    countOf(row.first_time_callers),
    countOf(returning[index]),
  ]),
)}`;
}

function durationSection({ durations, headline: all }: ReportFigures, { rules }: Manifest): Html {
  const names = durations.map(bandName);
  const median = all.median_duration_seconds;
  const title =
    typeof median === "number"
      ? `Half of all calls last ${formatDuration(median)} or longer`
      : "No call has a duration";
  const series = outcomeSeries(
    durations.map((band) => ({ ...band, other_calls: band.calls - band.answered_calls - band.missed_calls })),
  );
  const caption = `Calls by duration; answered calls of ${formatDuration(rules.qualified_seconds)} or longer are qualified`;
  return html`<h2>${title}</h2>
<p>Average ${durationOf(all.average_duration_seconds)}, median ${durationOf(median)}, in minutes and seconds.</p>
${chart(drawBars(names, series, `${title}. ${SEE_TABLE}`), { caption, legend: legend(series) })}
${numbers(
  ["Duration", "Calls", "Answered", "Missed"],
  durations.map((band, index) => [
    names[index] ?? "",
    countOf(band.calls),
    countOf(band.answered_calls),
    countOf(band.missed_calls),
  ]),
)}`;
}

function moverSection({ movers }: ReportFigures): Html {
  const list = (title: string, found: ReportFigures["movers"]["up"]) =>
    found.length === 0
      ? html`<h3>${title}</h3><p class="faint">None.</p>`
      : html`<h3>${title}</h3>
<table><thead><tr><th scope="col">What</th><th scope="col">Change</th><th scope="col">Calls</th><th scope="col">Before</th></tr></thead><tbody>
${found.map(
  ({
    dimension,
    figures,
    change,
  }) => html`<tr><th scope="row">${capitalized(dimension)} ${isolated(nameOf(figures, dimension))}</th>
<td><data value="${change}">${change > 0 ? "+" : ""}${formatCount(change)}</data></td><td>${countOf(figures.calls)}</td><td>${countOf(figures.calls_previous)}</td></tr>`,
)}
</tbody></table>`;
  return html`<h2>What moved most</h2>
${list("More calls than in the stretch before", movers.up)}
${list("Fewer calls", movers.down)}`;
}

function periodChart(caption: string, periods: readonly Figures[], series: readonly Series[]): Html {
  const labels = periods.map(({ period }) => labelOf(String(period)));
  return chart(drawBars(labels, series, `${caption}. ${SEE_TABLE}`), { caption, legend: legend(series) });
}

/** Parts by outcome, those without calls left out. */
function outcomeSeries(rows: readonly Figures[]): Series[] {
  const series = [
    { name: "answered", color: 1, values: valuesOf(rows, "answered_calls") },
    { name: "missed", color: 2, values: valuesOf(rows, "missed_calls") },
    { name: "other", color: 8, values: valuesOf(rows, "other_calls") },
  ];
  return series.filter(({ values }) => values.some((value) => value > 0));
}

function nameOf(figures: Figures | undefined, dimension: Dimension): string {
  const id = figures?.[`${dimension}_id`];
  return `${figures?.[dimension] ?? ""}${id == null ? "" : ` [${id}]`}`;
}

function valuesOf(rows: readonly Figures[], name: string): number[] {
  return rows.map((row) => Number(row[name]));
}

function bandName({ from_seconds: from, to_seconds: to }: DurationBand): string {
  if (from === null) return to === null ? "none" : "below 0";
  return to === null ? `${formatDuration(from)}+` : `${formatDuration(from)}–${formatDuration(to - 1)}`;
}

function nextHour(hour: string): string {
  return String(Number(hour) + 1).padStart(2, "0");
}
