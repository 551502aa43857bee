import { formatQuantity } from "../../base/text/quantity-text.ts";
import { chartNumbers, legend } from "../../export/sections/charts.ts";
import { type Content, element } from "../../export/sections/element.ts";
import {
  describeBusiest,
  describeMissed,
  type Heat,
  heatOfCounts,
  heatOfShares,
  weekdayNames,
} from "../../export/sections/week.ts";
import { HOURS } from "../../figures/dimensions.ts";
import { paragraph } from "./figure-rows.ts";
import { chart, heading, SEE_TABLE } from "./page-parts.ts";
import { drawWeek } from "./report-charts.ts";
import type { ReportFigures } from "./report-figures.ts";

const WEEK_DAYS = 7;

export function weekSection(
  { hours, headline: all }: ReportFigures,
  timezone: string,
  days: number,
): Content {
  const countsOf = (name: string) =>
    new Map(hours.map((row) => [`${row.weekday} ${row.hour}`, Number(row[name])]));
  const [calls, missed] = [countsOf("calls"), countsOf("missed_calls")];
  const shares = new Map(
    [...calls].map(([key, whole]) => [key, { part: missed.get(key) ?? 0, whole }] as const),
  );
  const clocks = `by weekday and hour, as clocks in ${timezone} showed them`;
  const names = weekdayNames();
  const week = (title: string, caption: string, heat: Heat, counts: ReadonlyMap<string, number>): Content => [
    element("h3", {}, title),
    chart((width) => drawWeek(heat, { width, label: `${title}. ${SEE_TABLE}` }), caption, legend(heat.steps)),
    chartNumbers(
      caption,
      "Weekday",
      names,
      HOURS.map((hour) => ({
        name: hour,
        values: names.map((name) => counts.get(`${name} ${hour}`) ?? 0),
      })),
    ),
  ];
  return [
    heading("When calls come, and when they are missed"),
    days % WEEK_DAYS !== 0 &&
      paragraph(
        `${formatQuantity(days, "day")} ${days === 1 ? "is" : "are"} not a whole number of weeks: some weekdays count more often than others.`,
      ),
    week(`Calls: ${describeBusiest(calls)}`, `Calls ${clocks}`, heatOfCounts(calls), calls),
    week(
      `Missed calls: ${describeMissed({ part: Number(all.missed_calls), whole: Number(all.calls) }, shares)}`,
      `Missed calls, of the calls of each hour, ${clocks}. Hours with few calls are left empty, because chance would decide their shares`,
      heatOfShares(shares),
      missed,
    ),
  ];
}
