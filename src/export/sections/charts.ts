import { labelOf, longLabelOf } from "../../base/calendar/period-text.ts";
import { type Content, type Element, element } from "./element.ts";
import { countOf } from "./figure-cells.ts";
import { headCell, headRow, numbers } from "./tables.ts";

/** A color and what it means. */
export interface LegendEntry {
  text: string;
  color: string;
}

export function legend(entries: readonly LegendEntry[], ...more: Content[]): Element {
  const swatch = (fill: string) =>
    element(
      "svg",
      { viewBox: "0 0 1 1", "aria-hidden": "true" },
      element("rect", { width: 1, height: 1, fill }),
    );
  const items = entries.map(({ text, color }) => element("li", { key: text }, swatch(color), text));
  return element("ul", { class: "legend" }, ...items, ...more);
}

/** Counts that a chart shows, by its categories. */
export interface Counts {
  name: string;
  values: readonly number[];
}

/** The numbers of the chart with this caption: a row for each category. */
export function chartNumbers(
  caption: string,
  head: string,
  names: readonly Content[],
  columns: readonly Counts[],
): Element {
  const rows = names.map((name, index) =>
    element(
      "tr",
      { key: index },
      element("th", { scope: "row" }, name),
      ...columns.map(({ values }) => element("td", {}, countOf(values[index] ?? 0))),
    ),
  );
  return numbers(caption, headRow(...[head, ...columns.map(({ name }) => name)].map(headCell)), rows);
}

/** Longer spans show the year of each day. */
const DAYS_OF_YEAR = 365;

export function periodLabels(periods: readonly string[]): string[] {
  return periods.map(periods.length > DAYS_OF_YEAR ? longLabelOf : labelOf);
}

/** The names of periods, with the days that they are. */
export function periodNames(periods: readonly string[]): Content[] {
  const labels = periodLabels(periods);
  return periods.map((period, index) => element("time", { datetime: period }, labels[index]));
}
