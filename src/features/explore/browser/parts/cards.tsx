import { daysInWords } from "../../../../base/calendar/period-text.ts";
import { formatQuantity } from "../../../../base/text/quantity-text.ts";
import { changeLegend, tiles } from "../../../../export/sections/tiles.ts";
import { comparedOf, titleOfFigure } from "../answers.ts";
import { live } from "../live.ts";
import { spanOf } from "../page-days.ts";
import { shownDays } from "../view.ts";
import type { PartProps } from "./part.ts";

/** The figures of all shown calls; each is a button that puts it into the chart. */
export function Cards({ source, answers: { view, cards }, go }: PartProps) {
  const { facts, calls } = source;
  const compared = comparedOf(source, view);
  const leftOut = facts.minCell === null ? 0 : calls.daysLeftOut(spanOf(shownDays(view)));
  const shown = cards.map(({ metric, read }) => ({
    name: titleOfFigure(facts, metric.name),
    metric,
    read,
    compared: typeof compared === "object" ? compared : undefined,
    isChosen: view.chart === metric.name,
    onChoose: () => go({ chart: metric.name }),
  }));
  return (
    <section aria-label="Figures">
      {live(tiles(shown))}
      {typeof compared === "object" && <p class="faint">Compared with {daysInWords(compared.range)}.</p>}
      {typeof compared === "object" && live(changeLegend())}
      {leftOut > 0 && (
        <p class="faint">
          {formatQuantity(leftOut, "of these days is", "of these days are")} left out: fewer than{" "}
          {facts.minCell} calls, or none.
        </p>
      )}
      {typeof compared === "string" && <p class="faint">{compared}</p>}
    </section>
  );
}
