import { useState } from "preact/hooks";
import { formatCount } from "../../../../base/text/quantity-text.ts";
import { type Content, type Element, element } from "../../../../export/sections/element.ts";
import { figureTable, idOf, isolated, keyHead } from "../../../../export/sections/tables.ts";
import { titleOf } from "../../../../figures/figure-text.ts";
import { OTHER } from "../../../../figures/reserved-keys.ts";
import { comparedOf, figuresOfPage, readerOf, tableFigures } from "../answers.ts";
import { live } from "../live.ts";
import type { PartProps } from "./part.ts";
import { filterOfRow, keysOf, type Row, sortRows } from "./table-rows.ts";
import { TableTools } from "./table-tools.tsx";

/** More rows are shown when asked for. */
const ROWS_SHOWN = 50;

export function TableSection({ source, answers: { view, table }, go }: PartProps) {
  const [isWhole, setWhole] = useState(false);
  const { columns, totals } = table;
  const known = figuresOfPage(source.facts);
  const at = (name: string) => columns.findIndex((column) => column.name === name);
  const sorted = sortRows(table.rows, view.sort && { index: at(view.sort.column), ...view.sort });
  const shown = isWhole ? sorted : sorted.slice(0, ROWS_SHOWN);
  const most = Math.max(1, ...table.rows.map((row) => Number(row[at("calls")] ?? 0)));
  const changeOf = (name: string) => `${name}_change`;
  const hasChange = (name: string) => table.rows.some((row) => (row[at(changeOf(name))] ?? null) !== null);
  const sort = (column: string) => {
    const isSame = view.sort?.column === column;
    if (isSame && !view.sort?.isDescending) go({ sort: undefined });
    else go({ sort: { column, isDescending: !isSame } });
  };
  const filterBy = (row: Row) => go({ filter: { ...view.filter, ...filterOfRow(view.by, row) } });
  const figures = tableFigures(view).flatMap((name) => known.find((metric) => metric.name === name) ?? []);
  const compared = comparedOf(source, view);
  const title = `Calls by ${view.by.map((name) => titleOf(name).toLowerCase()).join(" and ")}`;
  const heads = [
    ...view.by.map((name, place) => sortHead([name], { isKey: place > 0, sort: view.sort, onSort: sort })),
    ...figures.map(({ name }) =>
      sortHead(hasChange(name) ? [name, changeOf(name)] : [name], { sort: view.sort, onSort: sort }),
    ),
  ];
  return (
    <section class="figures">
      <h2>{title}</h2>
      <TableTools source={source} view={view} table={{ columns, rows: sorted, totals }} go={go} />
      {live(
        figureTable({
          label: title,
          head: heads,
          metrics: figures,
          rows: shown.map((row, index) => ({
            key: index,
            head: keyCells(view.by, row, () => filterBy(row)),
            read: readerOf(columns, row),
          })),
          totals: totals.map(({ kind, values }) => ({
            key: kind,
            head: element("th", { scope: "row", colspan: view.by.length }, String(values[0])),
            read: readerOf(columns, values),
          })),
          most,
          compared: typeof compared === "object" ? compared : undefined,
        }),
      )}
      {sorted.length > shown.length && (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {formatCount(sorted.length)} rows
        </button>
      )}
    </section>
  );
}

function keyCells(by: Parameters<typeof keysOf>[0], row: Row, onChoose: () => void): Content {
  return keysOf(by, row).map(({ texts: [text, id = null] }, place) => {
    const name = isolated(String(text));
    // The key of the first dimension heads its row.
    if (place === 0) return keyHead(name, { id, onChoose: text === OTHER ? undefined : onChoose });
    return element("td", { class: "key" }, name, id !== null && idOf(id));
  });
}

interface SortOptions {
  isKey?: boolean;
  sort: { column: string; isDescending: boolean } | undefined;
  onSort: (column: string) => void;
}

/** @param columns the column, and the one of its change, if it is compared */
function sortHead(columns: readonly string[], { isKey = false, sort, onSort }: SortOptions): Element {
  const order = sort?.isDescending ? "descending" : "ascending";
  const isSorted = (column: string) => sort?.column === column;
  return element(
    "th",
    {
      scope: "col",
      key: columns[0],
      class: isKey ? "key" : "",
      "aria-sort": columns.some(isSorted) ? order : undefined,
    },
    ...columns.map((column, place) =>
      element(
        "button",
        {
          key: column,
          type: "button",
          class: place > 0 ? "plain change" : "plain",
          "aria-label": titleOf(column),
          onClick: () => onSort(column),
        },
        place > 0 ? "change" : titleOf(column),
        isSorted(column) && element("span", { "aria-hidden": "true" }, sort?.isDescending ? " ↓" : " ↑"),
      ),
    ),
  );
}
