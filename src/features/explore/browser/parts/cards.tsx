import { formatCount } from "../../../../base/text/quantity-text.ts";
import { comparedOf } from "../answers.ts";
import { formatDays, formatFigure, titleOfFigure } from "../format.ts";
import { spanOf } from "../page-days.ts";
import { shownDays } from "../view.ts";
import { CHANGE_LEGEND, Change } from "./change.tsx";
import type { PartProps } from "./part.ts";

/** The figures of all shown calls; each is a button that puts it into the chart. */
export function Cards({ source, answers: { view, cards }, go }: PartProps) {
  const { facts, calls } = source;
  const compared = comparedOf(source, view);
  const leftOut = facts.minCell === null ? 0 : calls.daysLeftOut(spanOf(shownDays(view)));
  return (
    <section aria-label="Figures">
      <ul class="cards">
        {cards.map(({ metric, read }) => (
          <li key={metric.name}>
            <button
              type="button"
              aria-pressed={view.chart === metric.name}
              onClick={() => go({ chart: metric.name })}
            >
              <span class="name">{titleOfFigure(facts, metric.name)}</span>
              <data value={String(read(metric.name) ?? "")}>{formatFigure(metric, read)}</data>
              <Change metric={metric} read={read} />
            </button>
          </li>
        ))}
      </ul>
      {typeof compared === "object" && (
        <p class="faint">
          Compared with {formatDays({ from: compared.range.from ?? "", to: compared.range.to ?? "" })}.{" "}
          {CHANGE_LEGEND}
        </p>
      )}
      {leftOut > 0 && (
        <p class="faint">
          {formatCount(leftOut)} of these days {leftOut === 1 ? "is" : "are"} left out: fewer than{" "}
          {facts.minCell} calls, or none.
        </p>
      )}
      {typeof compared === "string" && <p class="faint">{compared}</p>}
    </section>
  );
}
