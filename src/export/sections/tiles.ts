import { CHANCE_MEANING } from "../../figures/change-chance.ts";
import { type Content, type Element, element } from "./element.ts";
import { change, figure, type ShownFigure } from "./figure-cells.ts";

export interface Tile extends ShownFigure {
  name: string;
  /** Below the figure. */
  note?: Content;
  /** Puts it into the chart, where a page is live. */
  onChoose?: () => void;
  isChosen?: boolean;
}

/** The headline: each figure with its name and its change. */
export function tiles(all: readonly Tile[]): Element {
  return element("ul", { class: "tiles" }, ...all.map(tile));
}

/** What the marks of changes mean. */
export function changeLegend(): Element {
  return element(
    "p",
    { class: "faint" },
    `Bold changes are beyond chance. ${CHANCE_MEANING} Other changes in grey are not judged.`,
  );
}

function tile({ name, note, onChoose, isChosen, ...shown }: Tile): Element {
  const content = [
    element("span", { class: "name" }, name),
    element("span", { class: "figure" }, figure(shown)),
    change(shown),
    note && element("span", { class: "line" }, note),
  ];
  const place =
    onChoose === undefined
      ? element("div", {}, ...content)
      : element(
          "button",
          { type: "button", "aria-pressed": isChosen ?? false, onClick: onChoose },
          ...content,
        );
  return element("li", { key: name }, place);
}
