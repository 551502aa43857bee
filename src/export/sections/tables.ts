import { toPrintable } from "../../base/text/printable.ts";
import type { ComparedDays } from "../../figures/change-chance.ts";
import type { ReadFigure } from "../../figures/figure-text.ts";
import type { Measure } from "../../figures/rollup-query.ts";
import { type Content, type Element, element } from "./element.ts";
import { bar, change, figure } from "./figure-cells.ts";

/** A visitor's text, isolated from the direction of its surroundings. */
export const isolated = (text: string): Element => element("bdi", {}, toPrintable(text));

/** A table that scrolls on a narrow screen, also by keyboard. */
export function scrolled(label: string, ...table: Content[]): Element {
  return element(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": label },
    element("table", {}, ...table),
  );
}

export const headRow = (...cells: Content[]): Element => element("thead", {}, element("tr", {}, ...cells));

export const headCell = (name: string): Element => element("th", { scope: "col", key: name }, name);

/** The numbers of the chart above, in an element that opens. */
export function numbers(caption: string, head: Element, rows: readonly Element[]): Element {
  return element(
    "details",
    {},
    element("summary", {}, "Numbers"),
    scrolled(`${caption}, numbers`, head, element("tbody", {}, ...rows)),
  );
}

export const idOf = (id: string | number): Element => element("span", { class: "id" }, isolated(String(id)));

interface KeyOptions {
  /** Such as of a campaign; shown below the name. */
  id?: string | number | null;
  onChoose?: (() => void) | undefined;
}

/** The name of a row, which chooses it where a page is live. */
export function keyHead(name: Content, { id, onChoose }: KeyOptions = {}): Element {
  const label = [name, id != null && idOf(id)];
  if (onChoose === undefined) return element("th", { scope: "row" }, ...label);
  return element(
    "th",
    { scope: "row" },
    element("button", { type: "button", class: "plain", onClick: onChoose }, ...label),
  );
}

/** A row of figures. */
export interface FigureRow {
  key: string | number;
  /** Its cells before the figures. */
  head: Content;
  read: ReadFigure;
}

export interface FigureTable {
  label: string;
  /** The cells of the head. */
  head: readonly Element[];
  metrics: readonly Measure[];
  rows: readonly FigureRow[];
  totals: readonly FigureRow[];
  compared: ComparedDays | undefined;
  /** The calls of the longest bar. @default those of the row with most */
  most?: number;
}

/** A table with a row for each key: figures with their changes, and a bar for its calls. */
export function figureTable({
  label,
  head,
  metrics,
  rows,
  totals,
  compared,
  ...scale
}: FigureTable): Element {
  const { most = 0 } = scale;
  const longest = most || Math.max(1, ...rows.map(({ read }) => Number(read("calls") ?? 0)));
  const line = ({ key, head, read }: FigureRow, hasBar: boolean) =>
    element(
      "tr",
      { key },
      head,
      ...metrics.map((metric) =>
        element(
          "td",
          { key: metric.name },
          figure({ metric, read }),
          change({ metric, read, compared }),
          hasBar && metric.name === "calls" && bar(Number(read("calls") ?? 0) / longest),
        ),
      ),
    );
  return scrolled(
    label,
    headRow(...head),
    element("tbody", {}, ...rows.map((row) => line(row, true))),
    element("tfoot", {}, ...totals.map((row) => line(row, false))),
  );
}
