import { html, raw } from "hono/html";
import { countOf, type Html, headRow, isolated, scrolled } from "../../export/letterhead/page-parts.ts";
import type { Dimension } from "../../figures/dimensions.ts";
import { NOT_SET } from "../../figures/reserved-keys.ts";
import type { Figures } from "../../figures/sums.ts";
import type { Heat, Series } from "./report-charts.ts";
import { NARROW, WIDE } from "./static-chart.ts";

/** A picture with its legend; drawn twice, because the letters of the wide one are too small on a phone. */
export const SEE_TABLE = "The table below has the numbers.";

export function chart(
  draw: (width: number) => string,
  { caption, legend }: { caption: string; legend: Html },
): Html {
  return html`<figure>${legend}<div class="wide">${raw(draw(WIDE))}</div><div class="narrow">${raw(draw(NARROW))}</div>
<figcaption>${caption}.</figcaption></figure>`;
}

export function legend(series: readonly Series[]): Html {
  return legendOf(series.map(({ name, color }) => ({ text: name, color: `var(--${color})` })));
}

export function heatLegend({ steps }: Heat): Html {
  return legendOf(steps);
}

function legendOf(entries: readonly { text: string; color: string }[]): Html {
  return html`<ul class="legend">${entries.map(({ text, color }) => html`<li>${swatch(color)}${text}</li>`)}</ul>`;
}

function swatch(color: string): Html {
  return html`<svg viewBox="0 0 1 1" aria-hidden="true"><rect width="1" height="1" fill="${color}"/></svg>`;
}

export function measured(figure: Html, share: number): Html {
  const width = Math.max(0, Math.min(1, share)) * 100;
  return html`<div class="measured"><svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect width="${width.toFixed(1)}" height="10"/></svg>${figure}</div>`;
}

/** The numbers of the chart with this caption, in an element that opens. */
export function numbers(
  caption: string,
  head: string,
  names: readonly string[],
  columns: readonly Pick<Series, "name" | "values">[],
): Html {
  const body = names.map((name, index) => {
    const cells = columns.map(({ values }) => html`<td>${countOf(values[index])}</td>`);
    return html`<tr><th scope="row">${name}</th>${cells}</tr>`;
  });
  const heads = headRow([head, ...columns.map(({ name }) => name)]);
  return html`<details><summary>Numbers</summary>${scrolled(`${caption}, numbers`, html`${heads}<tbody>${body}</tbody>`)}</details>`;
}

export function nameOf(figures: Figures, dimension: Dimension): string {
  return String(figures[dimension] ?? "");
}

/** Names a row in a sentence, with its id if the name is missing or ambiguous. */
export function nameAmong(rows: readonly Figures[], figures: Figures, dimension: Dimension): Html {
  const name = nameOf(figures, dimension);
  const isUnique = rows.filter((row) => nameOf(row, dimension) === name).length === 1 && name !== NOT_SET;
  const id = isUnique ? null : figures.campaign_id;
  return isolated(id == null ? name : `${name} [${id}]`);
}

/** The name of a row, and below it the id of a campaign that has one. */
export function rowHead(name: Html | string, { campaign_id: id }: Figures = {}): Html {
  return html`<th scope="row">${name}${id == null ? "" : html` <span class="id">${isolated(String(id))}</span>`}</th>`;
}
