import { daysInWords } from "../../../../base/calendar/period-text.ts";
import { toPrintable } from "../../../../base/text/printable.ts";
import { titleOf } from "../../../../figures/figure-text.ts";
import { entriesOf } from "../page-filter.ts";
import type { PartProps } from "./part.ts";

/** What is chosen, each with a button that takes it back. */
export function Crumbs({ source: { calls }, answers: { view }, go }: PartProps) {
  const chosen = entriesOf(view.filter).flatMap(([dimension, texts]) =>
    texts.map((text) => ({
      label: `${titleOf(dimension)}: ${toPrintable(calls.labelOf(dimension, text))}`,
      remove: () => go({ filter: { ...view.filter, [dimension]: texts.filter((each) => each !== text) } }),
    })),
  );
  if (view.only !== undefined)
    chosen.unshift({ label: daysInWords(view.only), remove: () => go({ only: undefined }) });
  if (chosen.length === 0) return null;
  return (
    <ul class="crumbs" aria-label="Chosen">
      {chosen.map(({ label, remove }) => (
        <li key={label}>
          <button type="button" onClick={remove}>
            <bdi>{label}</bdi> <span aria-hidden="true">×</span>
            <span class="hidden">: remove</span>
          </button>
        </li>
      ))}
      {chosen.length > 1 && (
        <li>
          <button type="button" class="plain" onClick={() => go({ filter: {}, only: undefined })}>
            Remove all
          </button>
        </li>
      )}
    </ul>
  );
}
