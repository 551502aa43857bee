import { type Content, type Element, element } from "../../export/sections/element.ts";
import { shortName } from "../../export/sections/short-name.ts";
import type { Dimension } from "../../figures/dimensions.ts";
import { NOT_SET } from "../../figures/reserved-keys.ts";
import type { Figures } from "../../figures/sums.ts";
import { NARROW, WIDE } from "./static-chart.ts";

export const SEE_TABLE = "The table below has the numbers.";

/** A picture with its legend; drawn twice, because the letters of the wide one are too small on a phone. */
export function chart(draw: (width: number) => string, caption: string, legend: Content): Element {
  return element(
    "figure",
    {},
    legend,
    element("div", { class: "wide" }, { svg: draw(WIDE) }),
    element("div", { class: "narrow" }, { svg: draw(NARROW) }),
    element("figcaption", {}, `${caption}.`),
  );
}

export function nameOf(figures: Figures, dimension: Dimension): string {
  return String(figures[dimension] ?? "");
}

/** Names a row in a sentence, with its id if the name is missing or ambiguous. */
export function nameAmong(rows: readonly Figures[], figures: Figures, dimension: Dimension): Element {
  const name = nameOf(figures, dimension);
  const isUnique = rows.filter((row) => nameOf(row, dimension) === name).length === 1 && name !== NOT_SET;
  const id = isUnique ? null : figures.campaign_id;
  return shortName(id == null ? name : `${name} [${id}]`);
}

export const heading = (...content: Content[]): Element => element("h2", {}, ...content);
