import { toDelimited } from "../../../../export/formats/delimited.ts";
import type { Table } from "../../../../export/table.ts";
import { areOfSpend } from "../../../../figures/dimensions.ts";
import { titleOf } from "../../../../figures/figure-text.ts";
import { needsSpend } from "../../../../figures/metrics.ts";
import { comparedName } from "../../../../figures/rollup-query.ts";
import { figuresOfPage, tableFigures } from "../answers.ts";
import type { View } from "../view.ts";
import { Choice } from "./choice.tsx";
import { Menu } from "./menu.tsx";
import type { PartProps } from "./part.ts";

interface ToolsProps extends Pick<PartProps, "source" | "go"> {
  view: View;
  /** As it is shown. */
  table: Table;
}

/** What the table is by, its figures, and its download. */
export function TableTools({ source: { facts }, view, table, go }: ToolsProps) {
  const names = figuresOfPage(facts).map(({ name }) => name);
  const shown = tableFigures(view);
  /** The last one, and what a rate is of. */
  const isNeeded = (name: string) =>
    view.figures.includes(name) ? view.figures.length === 1 : shown.includes(name);
  const isOfSpend = areOfSpend(view.by);
  return (
    <fieldset class="toolbar" aria-label="Table">
      <Choice
        label="By"
        value={view.by[0]}
        all={facts.dimensions}
        onChoose={(name) =>
          name && go({ by: [name, ...view.by.slice(1).filter((other) => other !== name)], sort: undefined })
        }
      />
      <Choice
        label="and"
        value={view.by[1]}
        none="nothing else"
        all={facts.dimensions.filter((name) => name !== view.by[0])}
        onChoose={(name) => go({ by: [...view.by.slice(0, 1), ...(name ? [name] : [])], sort: undefined })}
      />
      <Menu label="Figures">
        <ul>
          {names.map((name) => (
            <li key={name}>
              <label>
                <input
                  type="checkbox"
                  checked={view.figures.includes(name) || shown.includes(name)}
                  disabled={isNeeded(name)}
                  onChange={() =>
                    go({
                      sort: undefined,
                      figures: names.filter((each) => (each === name) !== view.figures.includes(each)),
                    })
                  }
                />
                {titleOf(name)}
                {!view.figures.includes(name) && isNeeded(name) && " (its rate needs it)"}
                {needsSpend(name) && !isOfSpend && " (not by these dimensions)"}
              </label>
            </li>
          ))}
        </ul>
      </Menu>
      <button type="button" onClick={() => download(`${view.by.join("-")}.csv`, csvOf(table, view.compare))}>
        Download CSV
      </button>
    </fieldset>
  );
}

/** Names the columns of a comparison as the command does; those of the page are called as of the time before. */
function csvOf(table: Table, as: View["compare"]): string {
  const columns = table.columns.map((column) => {
    const { comparison } = column;
    return comparison
      ? { ...column, name: comparedName({ ...comparison, as: as ?? comparison.as }) }
      : column;
  });
  return [...toDelimited({ ...table, columns }, { delimiter: "," })].join("");
}

function download(name: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
