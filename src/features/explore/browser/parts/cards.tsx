import { comparedOf } from "../answers.ts";
import { formatDays, formatFigure, titleOf } from "../format.ts";
import { CHANGE_LEGEND, Change } from "./change.tsx";
import type { PartProps } from "./part.ts";

/** The figures of all shown calls; each is a button that puts it into the chart. */
export function Cards({ source: { facts }, answers: { view, cards }, go }: PartProps) {
  const compared = comparedOf(facts, view);
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
              <span class="name">{titleOf(metric.name)}</span>
              <data value={String(read(metric.name) ?? "")}>{formatFigure(metric, read)}</data>
              <Change metric={metric} read={read} isWithPrevious />
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
      {typeof compared === "string" && <p class="faint">{compared}</p>}
    </section>
  );
}
