import { formatCount } from "../../base/text/quantity-text.ts";
import type { ComparedDays } from "../../figures/change-chance.ts";
import type { FactValue } from "../../figures/dictionary.ts";
import {
  describeChange,
  formatFigure,
  NONE,
  type ReadFigure,
  type Stretch,
} from "../../figures/figure-text.ts";
import type { Measure } from "../../figures/rollup-query.ts";
import { type Content, type Element, element } from "./element.ts";

/** What a figure and its change are, where they are shown. */
export interface ShownFigure {
  metric: Measure;
  read: ReadFigure;
  /** The days that it is compared with; undefined for none. */
  compared: ComparedDays | undefined;
}

/** A figure as it is written, with its exact value. */
export function figure(
  { metric, read }: Omit<ShownFigure, "compared">,
  stretch: Stretch = "",
): Element | string {
  const value = read(metric.name + stretch);
  if (typeof value !== "number") return NONE;
  return element("data", { value: String(value) }, formatFigure(metric, read, stretch));
}

/** A count as it is written; a change of one with its sign. */
export function countOf(value: FactValue | undefined, { isChange = false } = {}): Content {
  if (typeof value !== "number") return NONE;
  return element("data", { value: String(value) }, isChange && value > 0 ? "+" : "", formatCount(value));
}

/** How a figure changed, and from what; marked if chance may explain it, and bold if it does not. */
export function change({ metric, read, compared }: ShownFigure): Element | null {
  const judged = describeChange(metric, read, compared);
  if (judged === undefined) return null;
  return element(
    "span",
    { class: judged.isWithinChance === false ? "change beyond" : "change" },
    element("data", { value: String(read(`${metric.name}_change`)) }, judged.change),
    element("span", { class: "before" }, " from ", figure({ metric, read }, "_previous")),
    judged.isWithinChance && ", within chance",
  );
}

/** A share as a bar that is as wide as its place. */
export function bar(share: number): Element {
  const width = 100 * Math.max(0, Math.min(1, share));
  return element(
    "svg",
    { class: "bar", viewBox: "0 0 100 4", preserveAspectRatio: "none", "aria-hidden": "true" },
    element("rect", { width: String(Math.round(10 * width) / 10), height: "4" }),
  );
}
