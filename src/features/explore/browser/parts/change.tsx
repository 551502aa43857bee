import { CHANCE_MEANING } from "../../../../figures/change-chance.ts";
import type { Measure } from "../../../../figures/rollup-query.ts";
import { formatChange, formatFigure, type ReadFigure } from "../format.ts";

export const CHANGE_LEGEND = `Bold changes are beyond chance. ${CHANCE_MEANING} Other changes in grey are not judged.`;

interface ChangeProps {
  metric: Measure;
  read: ReadFigure;
}

/** How a figure changed, and from what, marked as `export --chance` judges it; nothing if it is not compared. */
export function Change({ metric, read }: ChangeProps) {
  if (read(`${metric.name}_change`) === null) return null;
  const text = formatChange(metric, read);
  const isWithinChance = read(`${metric.name}_within_chance`);
  return (
    <span class={isWithinChance === 0 ? "change beyond" : "change"}>
      {text}
      <span class="before"> from {formatFigure(metric, read, "_previous")}</span>
      {isWithinChance === 1 && /[1-9]/.test(text) && ", within chance"}
    </span>
  );
}
