import { hash } from "node:crypto";
import { html, raw } from "hono/html";
import { localTime } from "../calendar/local-time.ts";
import { type DescribedSpan, describeCaveats, type Manifest } from "../export/manifest.ts";
import { toPrintable } from "../printable.ts";
import type { Dimension } from "../rollup/dimensions.ts";
import type { DurationBand } from "../rollup/duration-bands.ts";
import { originInWords } from "../warehouse/origin.ts";
import {
  changeOf,
  countOf,
  durationOf,
  formatCount,
  formatDuration,
  formatPoints,
  formatQuantity,
  formatShare,
  type Html,
  shareOf,
} from "./figure-text.ts";
import { PAGE_STYLE } from "./page-style.ts";
import type { Basis } from "./read-basis.ts";
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

/** What a page shows. */
export interface Report {
  figures: ReportFigures;
  basis: Basis;
  /** With all but its files. */
  manifest: Manifest;
  fingerprint: string;
  /** What a period is called: day, week, month or quarter. */
  grain: string;
}

/** No script, no request: whatever a visitor's text became, it can do nothing. */
const POLICY = `default-src 'none'; style-src 'sha256-${hash("sha256", PAGE_STYLE, "base64")}'; img-src data:; base-uri 'none'; form-action 'none'`;

/** Returns the report as one page of HTML that stands by itself. The same report gives the same bytes. */
export async function toPage(report: Report): Promise<string> {
  const { figures, manifest } = report;
  const title = `Calls, ${describeDays(manifest.range)}`;
  const isEmpty = Number(figures.headline.calls) === 0;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${raw(PAGE_STYLE)}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p class="faint">${describeScope(manifest)}</p>
${verdictLine(report)}
</header>
<main>
${headline(figures.headline)}
${isEmpty ? html`<p>No call was found in these days${isFiltered(manifest) ? " with this filter" : ""}.</p>` : sections(report)}
${basisSection(report)}
</main>
<footer><p class="faint">Made by calltally from <code>manifest.json</code> beside this page. Figures are explained in the README under “The figures”.</p></footer>
</body>
</html>
`;
  return String(await page);
}

function sections({ figures, grain, manifest }: Report): Html {
  return html`${periodSection(figures, grain)}
${channelSection(figures, grain)}
${rankingSection("Sources", "source", figures.sources)}
${rankingSection("Campaigns", "campaign", figures.campaigns)}
${weekSection(figures, manifest.timezone)}
${callerSection(figures, grain)}
${durationSection(figures, manifest)}
${moverSection(figures)}`;
}

function verdictLine({ manifest, basis }: Report): Html {
  const { run, range, caveats } = manifest;
  const isSure = run?.verdict === "exact" || run?.verdict === "verified";
  const proof =
    basis.verified === null
      ? "No pass has proved yet that it read every call."
      : `Run ${basis.verified.run_id} proved that it read every call, ${minuteOf(basis.verified.finished_at, manifest.timezone)}.`;
  const last =
    run === null
      ? "No sync has finished."
      : `Last sync: ${run.verdict}, ${minuteOf(run.finished_at, manifest.timezone)}.`;
  const isDoubtful = caveats !== undefined || !(isSure || basis.verified !== null);
  return html`<p class="verdict${isDoubtful ? " doubt" : ""}"><strong>${isDoubtful ? "In doubt." : "Complete."}</strong> ${proof} ${last}${
    range.provisional
      ? " The latest days are provisional: late transcripts and corrections may still come."
      : ""
  }${describeCaveats(manifest).map((caveat) => ` ${caveat}`)} <a href="#basis">What these figures stand on</a></p>`;
}

function headline(figures: Figures): Html {
  const tile = (name: string, value: Html, note: Html | string) =>
    html`<div><dt>${name}</dt><dd>${value}</dd><dd>${note}</dd></div>`;
  const counted = (name: string, column: string) =>
    tile(
      name,
      countOf(figures[column]),
      html`${changeOf(figures[`${column}_change`])} from ${countOf(figures[`${column}_previous`])}`,
    );
  const [rate, rateBefore] = [figures.answer_rate, figures.answer_rate_previous];
  return html`<dl class="tiles">
${counted("Calls", "calls")}
${tile(
  "Answer rate",
  shareOf(rate),
  html`${typeof rate === "number" && typeof rateBefore === "number" ? formatPoints(rate, rateBefore) : "–"} from ${shareOf(rateBefore)}`,
)}
${counted("Qualified calls", "qualified_calls")}
${counted("First-time callers", "first_time_callers")}
${counted("Callers", "unique_callers")}
${counted("Missed calls", "missed_calls")}
</dl>`;
}

function periodSection({ periods, headline: all }: ReportFigures, grain: string): Html {
  const busiest = periods.reduce((most, row) => (Number(row.calls) > Number(most.calls) ? row : most));
  const title = `${formatQuantity(Number(all.calls), "call")} in ${formatQuantity(periods.length, grain)}: ${formatCount(
    Math.round(Number(all.calls) / periods.length),
  )} a ${grain}, most on ${labelOf(String(busiest.period))} (${formatCount(Number(busiest.calls))})`;
  const series: Series[] = [
    { name: "answered", color: 1, values: valuesOf(periods, "answered_calls") },
    { name: "missed", color: 2, values: valuesOf(periods, "missed_calls") },
    { name: "other", color: 8, values: valuesOf(periods, "other_calls") },
  ].filter(({ values }) => values.some((value) => value > 0));
  return html`<h2>${title}</h2>
${bars(`Calls by ${grain}`, periods, series)}
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
${bars(`Calls by channel and ${grain}`, periods, series)}
${rankingTable("channel", channels)}
${numbers(
  ["Period", ...series.map(({ name }) => name)],
  periods.map((row, index) => [String(row.period), ...series.map(({ values }) => countOf(values[index]))]),
)}`;
}

function rankingSection(title: string, dimension: Dimension, ranking: Ranking): Html {
  const { shown, rest } = ranking;
  const [first] = shown;
  const found = shown.length + (rest?.rows ?? 0);
  const sentence = `${formatQuantity(found, dimension)}, ${nameOf(first, dimension)} with most calls (${formatCount(Number(first?.calls))})`;
  return html`<h2>${title}: ${isolated(sentence)}</h2>
${rankingTable(dimension, ranking)}`;
}

function rankingTable(dimension: Dimension, { shown, rest }: Ranking): Html {
  const most = Math.max(1, ...shown.map(({ calls }) => Number(calls)), Number(rest?.figures.calls ?? 0));
  const line = (name: Html | string, figures: Figures, className = "") => html`<tr class="${className}">
<th scope="row">${name}</th>
<td>${bar(Number(figures.calls) / most)}${countOf(figures.calls)}</td>
<td>${changeOf(shareChange(figures))}</td>
<td>${shareOf(ratio(figures.answered_calls, figures.calls))}</td>
<td>${countOf(figures.missed_calls)}</td>
<td>${countOf(figures.qualified_calls)}</td>
<td>${countOf(figures.first_time_callers)}</td>
</tr>`;
  const all = total([...shown, ...(rest ? [rest.figures] : [])]);
  const heads = ["Calls", "Change", "Answered", "Missed", "Qualified", "First-time"];
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Calls by ${dimension}"><table>
<thead><tr><th scope="col">${capitalized(dimension)}</th>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>
${shown.map((figures) => line(isolated(nameOf(figures, dimension)), figures))}
${rest === undefined ? "" : line(restName(rest.rows), rest.figures)}
${line("(total)", all, "sum")}
</tbody></table></div>`;
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
    return html`<h3>${title}</h3>
<figure><div class="scroll" tabindex="0" role="region" aria-label="${capitalized(noun)} by weekday and hour, chart">${raw(drawWeek(cells, `${title}. The table below has the numbers.`))}</div>
<figcaption>${heatLegend(cells)} ${capitalized(noun)}, by local weekday and hour of ${timezone}.</figcaption></figure>
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
  const isNew = ratio(all.first_time_callers, all.unique_callers);
  const title =
    isNew === null
      ? "No call came from a known number"
      : `${formatShare(isNew)} of callers called for the first time`;
  const series: Series[] = [
    { name: "first call ever", color: 3, values: valuesOf(periods, "first_time_callers") },
    { name: "called before", color: 7, values: returning },
  ];
  return html`<h2>${title}</h2>
${bars(`Callers by ${grain}; who called in two of them counts in both`, periods, series)}
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
  const series: Series[] = [
    { name: "answered", color: 1, values: durations.map(({ answered_calls }) => answered_calls) },
    { name: "missed", color: 2, values: durations.map(({ missed_calls }) => missed_calls) },
    {
      name: "other",
      color: 8,
      values: durations.map(
        ({ calls, answered_calls, missed_calls }) => calls - answered_calls - missed_calls,
      ),
    },
  ].filter(({ values }) => values.some((value) => value > 0));
  return html`<h2>${title}</h2>
<figure>${legend(series)}
<div class="scroll" tabindex="0" role="region" aria-label="Calls by duration, chart">${raw(drawBars(names, series, `${title}. The table below has the numbers.`))}</div>
<figcaption>Calls by duration in minutes and seconds. Answered calls of ${formatDuration(rules.qualified_seconds)} or longer are qualified. Average ${durationOf(all.average_duration_seconds)}.</figcaption></figure>
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

function basisSection({ basis, manifest, fingerprint }: Report): Html {
  const { run, origin, rules, timezone, range, compared_with, caveats } = manifest;
  const item = (name: string, text: Html | string) => html`<div><dt>${name}</dt><dd>${text}</dd></div>`;
  const total = basis.total === null ? "" : `; the service counted ${formatCount(basis.total)}`;
  return html`<h2 id="basis">What these figures stand on</h2>
<dl class="basis">
${item("Copied from", `${toPrintable(originInWords(origin))}${origin.made_by_demo ? ". These calls are made up." : ""}`)}
${item("Completeness", run === null ? "No sync has finished yet." : `Run ${run.run_id}: ${run.verdict}. ${capitalized(toPrintable(run.verdict_reason ?? ""))}.`)}
${caveats === undefined ? "" : item("In doubt", describeCaveats(manifest).join(" "))}
${item("Order of the list", basis.order ?? "not known yet")}
${item("Freshness", `${run === null ? "No sync has finished" : `Last sync ended ${minuteOf(run.finished_at, timezone)}`}; newest call ${minuteOf(basis.newest_call, timezone)}.`)}
${item("Calls in the copy", `${formatCount(basis.calls)}${total}.`)}
${item("Provisional", range.provisional ? "Yes: late transcripts and corrections may still change figures of the latest days." : "No: the time for late transcripts and corrections has passed.")}
${compared_with?.begins_before_first_call ? item("Stretch before", "It begins before the first call in the copy: its figures are too low, and the changes too high.") : ""}
${item("Rejected rows", basis.rejected === 0 ? "None." : `${formatQuantity(basis.rejected, "row")} could not be read and are in no figure: see calltally status.`)}
${item("Drift", basis.drift.length === 0 ? "None: all members of calls are as documented." : `${formatQuantity(basis.drift.length, "member")} not as documented: ${toPrintable(basis.drift.slice(0, 5).join(", "))}.`)}
${item(
  "Rules",
  html`<ul><li>Answered: ${toPrintable(rules.answered.join(", "))}</li><li>Missed: ${toPrintable(rules.missed.join(", "))}</li><li>Qualified: answered, ${rules.qualified_seconds} seconds or longer; the service's durations are read as ${rules.duration_unit}</li><li>Channels: ${rules.channels}; ${formatQuantity(rules.aliases, "alias").replace(/ss$/, "ses")}</li></ul>`,
)}
${item("Fingerprint", html`<code>${fingerprint}</code>, as in <code>manifest.json</code>: two sets of files with the same one show the same figures.`)}
</dl>`;
}

function bars(caption: string, periods: readonly Figures[], series: readonly Series[]): Html {
  const labels = periods.map(({ period }) => labelOf(String(period)));
  return html`<figure>${legend(series)}
<div class="scroll" tabindex="0" role="region" aria-label="${caption}, chart">${raw(drawBars(labels, series, `${caption}. The table below has the numbers.`))}</div>
<figcaption>${caption}.</figcaption></figure>`;
}

function legend(series: readonly Series[]): Html {
  return html`<ul class="legend">${series.map(
    ({ name, color }) => html`<li>${swatch(`var(--c${color})`)}${name}</li>`,
  )}</ul>`;
}

function heatLegend(cells: ReadonlyMap<string, number>): Html {
  const steps = heatSteps(cells);
  return html`<span class="legend">${[
    "0",
    ...steps.map((step, index) => `${formatCount((steps[index - 1] ?? 0) + 1)}–${formatCount(step)}`),
  ].map((text, index) => html`<span>${swatch(`var(--h${index})`)}${text}</span>`)}</span>`;
}

function swatch(color: string): Html {
  return html`<svg viewBox="0 0 1 1" aria-hidden="true"><rect width="1" height="1" fill="${color}"/></svg>`;
}

/** A bar in a cell, by its share of the longest. */
function bar(share: number): Html {
  const width = Math.max(0, Math.min(1, share)) * 100;
  return html`<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect width="${width.toFixed(1)}" height="10"/></svg>`;
}

/** The numbers of a chart, to be opened. */
function numbers(heads: readonly string[], rows: readonly (readonly (Html | string)[])[]): Html {
  return html`<details><summary>Numbers</summary><div class="scroll" tabindex="0" role="region" aria-label="Numbers of the chart"><table>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map(([first, ...cells]) => html`<tr><th scope="row">${first}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div></details>`;
}

/** Texts of visitors, whatever direction they are written in. */
function isolated(text: string): Html {
  return html`<bdi>${toPrintable(text)}</bdi>`;
}

function nameOf(figures: Figures | undefined, dimension: Dimension): string {
  const id = figures?.[`${dimension}_id`];
  return `${figures?.[dimension] ?? ""}${id == null ? "" : ` [${id}]`}`;
}

function valuesOf(rows: readonly Figures[], name: string): number[] {
  return rows.map((row) => Number(row[name]));
}

function ratio(part: Figures[string] | undefined, whole: Figures[string] | undefined): number | null {
  return Number(whole) > 0 ? Math.round((Number(part) / Number(whole)) * 1e4) / 1e4 : null;
}

function shareChange({ calls, calls_previous }: Figures): number | null {
  const before = Number(calls_previous);
  return before === 0 ? null : Math.round(((Number(calls) - before) / before) * 1e4) / 1e4;
}

function total(rows: readonly Figures[]): Figures {
  const names = [
    "calls",
    "calls_previous",
    "answered_calls",
    "missed_calls",
    "qualified_calls",
    "first_time_callers",
  ];
  return Object.fromEntries(
    names.map((name) => [name, rows.reduce((sum, row) => sum + Number(row[name]), 0)]),
  );
}

function bandName({ from_seconds: from, to_seconds: to }: DurationBand): string {
  if (from === null) return to === null ? "none" : "below 0";
  return to === null ? `${formatDuration(from)}+` : `${formatDuration(from)}–${formatDuration(to - 1)}`;
}

/** 2026-10-26 → 26 Oct, 2026-10 → Oct 2026; weeks and quarters as they are. */
function labelOf(period: string): string {
  const [, year, month, day] = /^(\d{4})-(\d\d)(?:-(\d\d))?$/.exec(period) ?? [];
  if (month === undefined) return period;
  const name = MONTHS[Number(month) - 1];
  return day === undefined ? `${name} ${year}` : `${Number(day)} ${name}`;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function describeDays({ from, to }: DescribedSpan): string {
  const day = (date = "") => `${labelOf(date)} ${date.slice(0, 4)}`;
  return from === to ? day(from) : `${day(from)} to ${day(to)}`;
}

function describeScope({ timezone, filter, compared_with }: Manifest): string {
  const { gone_calls, excluded_callers, excluded_callers_without_calls: _, ...values } = filter;
  const said = [
    ...Object.entries(values).map(
      ([name, value]) => `${name.replaceAll("_", " ")}: ${[value].flat().join(" or ")}`,
    ),
    ...(excluded_callers ? [`without the calls of ${formatQuantity(excluded_callers, "number")}`] : []),
    ...(gone_calls === "counted" ? ["with calls that the service no longer lists"] : []),
  ];
  return toPrintable(
    `Days of ${timezone}${compared_with ? `, compared with ${describeDays(compared_with)}` : ""}. ${
      said.length > 0 ? `Filter: ${said.join("; ")}.` : "All calls."
    }`,
  );
}

function isFiltered({ filter }: Manifest): boolean {
  return Object.keys(filter).length > 1;
}

/** A moment as the clocks of the zone showed it, to the minute. */
function minuteOf(time: string | null, timezone: string): string {
  if (time === null) return "never";
  const { local, offset } = localTime(timezone)(time);
  return `${local.slice(0, "YYYY-MM-DD HH:MM".length)} (UTC${offset === "+00:00" ? "" : offset})`;
}

function nextHour(hour: string): string {
  return String(Number(hour) + 1).padStart(2, "0");
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
