import { type Content, element } from "../../export/sections/element.ts";
import { shortName, toShort } from "../../export/sections/short-name.ts";
import { type FigureRow, figureTable, headCell, keyHead } from "../../export/sections/tables.ts";
import type { ComparedDays } from "../../figures/change-chance.ts";
import type { Dimension } from "../../figures/dimensions.ts";
import { readerOf, titleOf } from "../../figures/figure-text.ts";
import type { Measure } from "../../figures/rollup-query.ts";
import type { Figures } from "../../figures/sums.ts";
import { nameOf } from "./page-parts.ts";

/** Finds the metrics of a page by their names. */
export function metricsNamed(all: readonly Measure[], names: readonly string[]): Measure[] {
  return names.flatMap((name) => all.find((metric) => metric.name === name) ?? []);
}

export function rowOf(name: Content, figures: Figures): FigureRow {
  const { campaign_id: id } = figures;
  return {
    key: `${String(id)} ${JSON.stringify(name)}`,
    head: keyHead(name, { id: id == null ? null : toShort(String(id)) }),
    read: readerOf(figures),
  };
}

export const keyRow = (dimension: Dimension, figures: Figures): FigureRow =>
  rowOf(shortName(nameOf(figures, dimension)), figures);

export function tableOf(
  dimension: Dimension,
  label: string,
  {
    metrics,
    rows,
    totals,
    compared,
  }: Pick<Parameters<typeof figureTable>[0], "metrics" | "rows" | "totals"> & {
    compared?: ComparedDays;
  },
) {
  const heads = [titleOf(dimension), ...metrics.map(({ name }) => titleOf(name))].map(headCell);
  return figureTable({ label, head: heads, metrics, rows, totals, compared });
}

export const paragraph = (...content: Content[]) => element("p", {}, ...content);
