import { localDate } from "../../base/calendar/local-time.ts";
import { longLabelOf } from "../../base/calendar/period-text.ts";
import { toPrintable } from "../../base/text/printable.ts";
import { formatCount, formatQuantity } from "../../base/text/quantity-text.ts";
import { type Content, element } from "../../export/sections/element.ts";
import { countOf } from "../../export/sections/figure-cells.ts";
import { shortName } from "../../export/sections/short-name.ts";
import { headCell, headRow, keyHead, scrolled } from "../../export/sections/tables.ts";
import { titleOf } from "../../figures/figure-text.ts";
import type { Restatement } from "./restatement.ts";
import { describeReasons, keyInWords } from "./restatement-words.ts";

const ROWS_SHOWN = 25;

const HEADS = ["Period", "Of", "Figure", "Was", "Is", "Change", "Why, in calls"];

/** The figures that changed since the page was last written. */
export function restatementSection(restatements: readonly Restatement[], timezone: string): Content {
  const [first] = restatements;
  if (first === undefined) return null;
  const title = `What changed since ${longLabelOf(localDate(first.exported_at, timezone))}`;
  const rest = restatements.length - ROWS_SHOWN;
  return [
    element("h2", {}, title),
    element(
      "p",
      {},
      `${formatQuantity(restatements.length, "figure")} of complete periods changed since this page was last written; restatements.csv next to it lists them.`,
    ),
    scrolled(
      title,
      headRow(...HEADS.map(headCell)),
      element("tbody", {}, ...restatements.slice(0, ROWS_SHOWN).map(rowOf)),
    ),
    rest > 0 && element("p", { class: "faint" }, `${formatCount(rest)} more.`),
  ];
}

function rowOf(restated: Restatement): Content {
  const { period, metric, was, now, change } = restated;
  const cells: Content[] = [
    shortName(keyInWords(restated) || "all"),
    titleOf(metric),
    countOf(was),
    countOf(now),
    countOf(change, { isChange: true }),
    toPrintable(describeReasons(restated)),
  ];
  return element("tr", {}, keyHead(longLabelOf(period)), ...cells.map((cell) => element("td", {}, cell)));
}
