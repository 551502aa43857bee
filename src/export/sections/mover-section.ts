import { formatQuantity } from "../../base/text/quantity-text.ts";
import { titleOf } from "../../figures/figure-text.ts";
import { type Element, element } from "./element.ts";
import { countOf } from "./figure-cells.ts";
import type { Moved, Mover } from "./movers.ts";
import { headCell, headRow, isolated, keyHead, scrolled } from "./tables.ts";

interface MoverOptions {
  /** The days compared with, in words. */
  before: string;
  /** Cuts long names. @default they are cut already */
  shorten?: (name: string) => string;
  onChoose?: (mover: Mover) => void;
}

/** What moved most: changes of calls that chance does not explain, though so many are compared. */
export function moverSection({ compared, up, down }: Moved, options: MoverOptions): Element | null {
  if (compared === 0) return null;
  const { before } = options;
  const count = formatQuantity(compared, "comparison");
  if (up.length + down.length === 0)
    return element(
      "section",
      {},
      element("h2", {}, "Nothing moved beyond chance"),
      element("p", { class: "faint" }, `None of ${count} with ${before} shows more than chance explains.`),
    );
  const list = (title: string, movers: readonly Mover[]) => [
    element("h3", {}, title),
    movers.length === 0 ? element("p", { class: "faint" }, "None.") : moverTable(title, movers, options),
  ];
  return element(
    "section",
    {},
    element("h2", {}, "What moved most"),
    element("p", { class: "faint" }, `Only changes that chance does not explain, even with ${count}.`),
    ...list(`More calls than ${before}`, up),
    ...list(`Fewer calls than ${before}`, down),
  );
}

function moverTable(
  title: string,
  movers: readonly Mover[],
  { shorten = String, onChoose }: MoverOptions,
): Element {
  const row = (mover: Mover) => {
    const { dimension, key, figures, change } = mover;
    const [name, id] = key.map((value) => (value === null ? null : shorten(String(value))));
    const label = [`${titleOf(dimension)} `, isolated(name ?? "")];
    const cells = [
      countOf(change, { isChange: true }),
      countOf(figures.calls),
      countOf(figures.calls_previous),
    ];
    return element(
      "tr",
      { key: JSON.stringify([dimension, ...key]) },
      keyHead(label, { id: id ?? null, onChoose: onChoose && (() => onChoose(mover)) }),
      ...cells.map((cell) => element("td", {}, cell)),
    );
  };
  const head = headRow(...["What", "Change", "Calls", "Before"].map(headCell));
  return scrolled(title, head, element("tbody", {}, ...movers.map(row)));
}
