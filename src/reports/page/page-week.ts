import { html } from "hono/html";
import type { Share } from "../../base/chance.ts";
import { formatCount, formatQuantity, formatShare } from "../../base/text/quantity-text.ts";
import type { Html } from "../../export/letterhead/page-parts.ts";
import { HOURS } from "../../figures/dimensions.ts";
import type { Figures } from "../../figures/sums.ts";
import { chart, heatLegend, numbers, SEE_TABLE } from "./page-parts.ts";
import { drawWeek, findHighest, type Heat, heatOfCounts, heatOfShares, weekdays } from "./report-charts.ts";
import type { ReportFigures } from "./report-figures.ts";

export function weekSection({ hours, headline: all }: ReportFigures, timezone: string, days: number): Html {
  const countsOf = (name: string) =>
    new Map(hours.map((row) => [`${row.weekday} ${row.hour}`, Number(row[name])]));
  const [calls, missed] = [countsOf("calls"), countsOf("missed_calls")];
  const shares = new Map(
    [...calls].map(([key, whole]) => [key, { part: missed.get(key) ?? 0, whole }] as const),
  );
  const clocks = `by weekday and hour, as clocks in ${timezone} showed them`;
  const week = (title: string, caption: string, heat: Heat, counts: ReadonlyMap<string, number>) => {
    const draw = (width: number) => drawWeek(heat, { width, label: `${title}. ${SEE_TABLE}` });
    return html`<h3>${title}</h3>
${chart(draw, { caption, legend: heatLegend(heat) })}
${numbers(
  caption,
  "Weekday",
  weekdays(),
  HOURS.map((name) => ({ name, values: weekdays().map((day) => counts.get(`${day} ${name}`) ?? 0) })),
)}`;
  };
  return html`<h2>When calls come, and when they are missed</h2>
${days % weekdays().length === 0 ? "" : html`<p>${formatQuantity(days, "day")} ${days === 1 ? "is" : "are"} not a whole number of weeks: some weekdays count more often than others.</p>`}
${week(`Calls: ${describeBusiest(calls)}`, `Calls ${clocks}`, heatOfCounts(calls), calls)}
${week(
  `Missed calls: ${describeMissed(all, shares)}`,
  `Missed calls, of the calls of each hour, ${clocks}. Hours with few calls are left empty, because chance would decide their shares`,
  heatOfShares(shares),
  missed,
)}`;
}

function describeMissed(all: Figures, shares: ReadonlyMap<string, Share>): string {
  const missed = Number(all.missed_calls);
  if (missed === 0) return "none";
  const share = `${formatShare(missed, Number(all.calls))} of all`;
  const highest = findHighest(shares);
  if (highest === undefined) return `${share}, and no hour of the week has more beyond chance`;
  const [key, { part, whole }] = highest;
  return `${share}, most on ${describeHour(key)} (${formatShare(part, whole)} of ${formatCount(whole)})`;
}

function describeBusiest(cells: ReadonlyMap<string, number>): string {
  const most = Math.max(0, ...cells.values());
  if (most === 0) return "none";
  const [busiest = "", tied] = [...cells].filter(([, count]) => count === most).map(([key]) => key);
  if (tied !== undefined) return `at most ${formatCount(most)} in one hour of the week`;
  return `most on ${describeHour(busiest)} (${formatCount(most)})`;
}

/** Monday 08 → Monday from 08:00 to 09:00 */
function describeHour(key: string): string {
  const [day, hour] = key.split(" ");
  return `${day} from ${hour}:00 to ${String(Number(hour) + 1).padStart(2, "0")}:00`;
}
