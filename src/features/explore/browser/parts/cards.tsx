import { CHANCE_MEANING } from "../../../../figures/change-chance.ts";
import { comparedOf } from "../answers.ts";
import { formatChange, formatDays, formatFigure, titleOf } from "../format.ts";
import type { PartProps } from "./part.ts";

/** The figures of all shown calls; each is a button that puts it into the chart. */
export function Cards({ source: { facts }, answers: { view, cards }, go }: PartProps) {
  const compared = comparedOf(facts, view);
  return (
    <section aria-label="Figures">
      <ul class="cards">
        {cards.map(({ metric, read, isWithinChance }) => (
          <li key={metric.name}>
            <button
              type="button"
              aria-pressed={view.chart === metric.name}
              onClick={() => go({ chart: metric.name })}
            >
              <span class="name">{titleOf(metric.name)}</span>
              <data value={String(read(metric.name) ?? "")}>{formatFigure(metric, read)}</data>
              {read(`${metric.name}_change`) !== null && (
                <span class={isWithinChance ? "change chance" : "change"}>
                  {formatChange(metric, read)}
                  {isWithinChance && " chance"}
                  <span class="before"> from {formatFigure(metric, read, "_previous")}</span>
                </span>
              )}
            </button>
          </li>
        ))}
      </ul>
      {typeof compared === "object" && (
        <p class="faint">
          Compared with {formatDays({ from: compared.range.from ?? "", to: compared.range.to ?? "" })}.{" "}
          {CHANCE_MEANING}
        </p>
      )}
      {typeof compared === "string" && <p class="faint">{compared}</p>}
    </section>
  );
}
