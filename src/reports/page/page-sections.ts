import { daysInWords, longLabelOf } from "../../base/calendar/period-text.ts";
import { capitalized } from "../../base/text/capitalized.ts";
import { formatCount, formatQuantity } from "../../base/text/quantity-text.ts";
import type { Manifest } from "../../export/manifest.ts";
import { chartNumbers, legend, periodLabels, periodNames } from "../../export/sections/charts.ts";
import { durationSection } from "../../export/sections/durations.ts";
import type { Content } from "../../export/sections/element.ts";
import { moverSection } from "../../export/sections/mover-section.ts";
import { toShort } from "../../export/sections/short-name.ts";
import { has, say } from "../../export/statements/statements.ts";
import type { Dimension } from "../../figures/dimensions.ts";
import type { Figures } from "../../figures/sums.ts";
import { keyRow, metricsNamed, paragraph, rowOf, tableOf } from "./figure-rows.ts";
import { outcomeSection } from "./page-outcomes.ts";
import { chart, heading, nameAmong, SEE_TABLE } from "./page-parts.ts";
import { spendSection } from "./page-spend.ts";
import { weekSection } from "./page-week.ts";
import { drawBars, type Series, toChannelSeries } from "./report-charts.ts";
import { isNotSet, type Ranking, type Report, type ReportFigures } from "./report-figures.ts";

export function chartSections(report: Report): Content {
  const { figures, grain, days, manifest } = report;
  return [
    periodSection(figures, grain, days),
    channelSection(report),
    rankingSection("Sources", "source", figures.sources, report),
    rankingSection("Campaigns", "campaign", figures.campaigns, report),
    figures.topics && rankingSection("Topics", "topic", figures.topics, report),
    spendSection(report),
    outcomeSection(report),
    weekSection(figures, manifest.timezone, days),
    callerSection(figures, grain, manifest),
    ofDurations(figures, manifest),
    moverSection(figures.movers, {
      before: daysInWords(manifest.compared_with?.[0] ?? {}),
      shorten: toShort,
    }),
  ];
}

function periodSection({ periods, headline: all }: ReportFigures, grain: string, days: number): Content {
  const title = `${formatQuantity(Number(all.calls), "call")} in ${formatQuantity(days, "day")}${describeMost(periods, grain)}`;
  const caption = `Calls by ${grain}`;
  return [
    heading(title),
    periodChart(caption, periods, outcomeSeries(periods)),
    periodNumbers(caption, periods, [
      { name: "Calls", values: valuesOf(periods, "calls") },
      { name: "Answered", values: valuesOf(periods, "answered_calls") },
      { name: "Missed", values: valuesOf(periods, "missed_calls") },
      { name: "Other", values: valuesOf(periods, "other_calls") },
    ]),
  ];
}

function describeMost(periods: readonly Figures[], grain: string): string {
  if (periods.length === 1) return "";
  const most = Math.max(...valuesOf(periods, "calls"));
  const [busiest, tied] = periods.filter(({ calls }) => calls === most);
  if (tied !== undefined) return `, at most ${formatCount(most)} in one ${grain}`;
  return `, most ${grain === "day" ? "on" : "in"} ${longLabelOf(String(busiest?.period))} (${formatCount(most)})`;
}

function channelSection(report: Report): Content {
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
  return [
    heading(title),
    periodChart(caption, periods, series),
    rankingTable("channel", channels, report),
    periodNumbers(caption, periods, series),
  ];
}

function rankingSection(title: string, dimension: Dimension, ranking: Ranking, report: Report): Content {
  return [
    heading(`${title}: `, ...describeLead(dimension, ranking)),
    rankingTable(dimension, ranking, report),
  ];
}

function describeLead(dimension: Dimension, { shown, rest }: Ranking): readonly Content[] {
  const named = shown.filter((figures) => !isNotSet(figures));
  const [first, second] = named;
  if (first === undefined) return ["no call has one"];
  const count = named.length + (rest?.rows ?? 0);
  const calls = formatQuantity(Number(first.calls), "call");
  if (second?.calls === first.calls)
    return [`none of ${formatCount(count)} leads, several have ${calls} each`];
  const is = second === undefined ? "is the only one" : `is first of ${formatCount(count)}`;
  return [nameAmong(shown, first, dimension), ` ${is}, with ${calls}`];
}

const RANKING = ["calls", "answer_rate", "missed_calls", "qualified_calls", "first_time_callers"];

function rankingTable(dimension: Dimension, { shown, rest }: Ranking, report: Report): Content {
  const { figures, compared, manifest, measures } = report;
  const isFirstLoad = has(manifest.statements, "first_load");
  const judged = (row: Figures): Figures => ({
    ...row,
    ...(isFirstLoad && { first_time_callers: null }),
    ...UNCOMPARED,
  });
  return tableOf(dimension, `Calls by ${dimension}`, {
    metrics: metricsNamed(measures, RANKING),
    rows: [
      ...shown.map((row) => keyRow(dimension, judged(row))),
      ...(rest === undefined ? [] : [rowOf(restName(rest.rows), judged(rest.figures))]),
    ],
    totals: [rowOf("(total)", judged(figures.headline))],
    compared,
  });
}

/** Tables show the changes of calls and of answer rates: those of single outcomes follow from these. */
const UNCOMPARED = {
  missed_calls_change: null,
  qualified_calls_change: null,
  first_time_callers_change: null,
};

function restName(rows: number): string {
  return rows === 0 ? "(other): calls only in the previous period" : `(other): ${formatCount(rows)} more`;
}

function callerSection(
  { periods, headline: all }: ReportFigures,
  grain: string,
  manifest: Manifest,
): Content {
  const { statements } = manifest;
  if (has(statements, "first_load"))
    return heading("First-time callers are unknown until the first load has finished");
  const returning = periods.map((row) => Number(row.unique_callers) - Number(row.first_time_callers));
  const title = `${formatQuantity(Number(all.first_time_callers), "caller")} called for the first time`;
  const series: Series[] = [
    { name: "first call in the copy", color: "first-call", values: valuesOf(periods, "first_time_callers") },
    { name: "called before", color: "called-before", values: returning },
  ];
  const caption = `Callers by ${grain}; callers in two of them count in both`;
  const history = statements.filter(({ id }) => id.startsWith("short_history")).map((each) => say(each).text);
  return [
    heading(title),
    history.length > 0 && paragraph(history.join(" ")),
    periodChart(caption, periods, series),
    periodNumbers(caption, periods, [
      { name: "Callers", values: valuesOf(periods, "unique_callers") },
      ...series.map(({ name, values }) => ({ name: capitalized(name), values })),
    ]),
  ];
}

function ofDurations({ durations, headline: all }: ReportFigures, { rules }: Manifest): Content {
  const secondsOf = (name: string) => (typeof all[name] === "number" ? all[name] : null);
  return durationSection(durations, {
    calls: Number(all.calls),
    qualified: Number(all.qualified_calls),
    average: secondsOf("average_duration_seconds"),
    median: secondsOf("median_duration_seconds"),
    seconds: rules.qualified_seconds,
    hasTopics: rules.topics > 0,
  });
}

const periodsIn = (rows: readonly Figures[]) => rows.map(({ period }) => String(period));

function periodNumbers(
  caption: string,
  periods: readonly Figures[],
  columns: readonly Pick<Series, "name" | "values">[],
): Content {
  return chartNumbers(caption, "Period", periodNames(periodsIn(periods)), columns);
}

function periodChart(caption: string, periods: readonly Figures[], series: readonly Series[]): Content {
  const label = `${caption}. ${SEE_TABLE}`;
  const draw = (width: number) => drawBars(periodLabels(periodsIn(periods)), series, { width, label });
  const colors = series.map(({ name, color }) => ({ text: name, color: `var(--${color})` }));
  return chart(draw, caption, legend(colors));
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
