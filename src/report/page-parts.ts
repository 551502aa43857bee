import { html, raw } from "hono/html";
import { toPrintable } from "../printable.ts";
import type { Dimension } from "../rollup/dimensions.ts";
import { formatCount, type Html } from "./figure-text.ts";
import type { HeatStep, Series } from "./report-charts.ts";
import type { Figures } from "./report-figures.ts";

/** Texts of visitors may be as long as they like. */
const MAX_CHARACTERS = 100;

/** A picture with its legend above and what it shows below. */
export function chart(svg: string, { caption, legend }: { caption: string; legend: Html }): Html {
  return html`<figure>${legend}<div class="scroll" tabindex="0" role="region" aria-label="${caption}, chart">${raw(svg)}</div>
<figcaption>${caption}.</figcaption></figure>`;
}

/** Says which colour is which part. */
export function legend(series: readonly Series[]): Html {
  return html`<ul class="legend">${series.map(
    ({ name, color }) => html`<li>${swatch(`var(--c${color})`)}${name}</li>`,
  )}</ul>`;
}

/** Says how many each colour of a heat map stands for. */
export function heatLegend(steps: readonly HeatStep[]): Html {
  const none = html`<li>${swatch("var(--h0)")}0</li>`;
  return html`<ul class="legend">${none}${steps.map(
    ({ from, to, color }) =>
      html`<li>${swatch(color)}${formatCount(from)}${from === to ? "" : `–${formatCount(to)}`}</li>`,
  )}</ul>`;
}

function swatch(color: string): Html {
  return html`<svg viewBox="0 0 1 1" aria-hidden="true"><rect width="1" height="1" fill="${color}"/></svg>`;
}

/** A bar in a cell, by its share of the longest. */
export function bar(share: number): Html {
  const width = Math.max(0, Math.min(1, share)) * 100;
  return html`<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect width="${width.toFixed(1)}" height="10"/></svg>`;
}

/** The numbers of the chart with this caption, to be opened. */
export function numbers(
  caption: string,
  heads: readonly string[],
  rows: readonly (readonly (Html | string)[])[],
): Html {
  return html`<details><summary>Numbers</summary><div class="scroll" tabindex="0" role="region" aria-label="${caption}, numbers"><table>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map(([first, ...cells]) => html`<tr><th scope="row">${first}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div></details>`;
}

/** A text of visitors, in whatever direction it is written; cut where it is long. */
export function isolated(text: string): Html {
  const characters = [...toPrintable(text)];
  const shown =
    characters.length > MAX_CHARACTERS
      ? `${characters.slice(0, MAX_CHARACTERS - 1).join("")}…`
      : characters.join("");
  return html`<bdi>${shown}</bdi>`;
}

/** Names a row of a table by its key: of a campaign, name and id. */
export function nameOf(figures: Figures | undefined, dimension: Dimension): string {
  const id = figures?.[`${dimension}_id`];
  return `${figures?.[dimension] ?? ""}${id == null ? "" : ` [${id}]`}`;
}
