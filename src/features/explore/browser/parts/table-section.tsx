import { useState } from "preact/hooks";
import { toPrintable } from "../../../../base/text/printable.ts";
import { formatCount } from "../../../../base/text/quantity-text.ts";
import { OTHER } from "../../../../figures/reserved-keys.ts";
import type { Measure } from "../../../../figures/rollup-query.ts";
import { figuresOfPage, readerOf, tableFigures } from "../answers.ts";
import { formatFigure, titleOf } from "../format.ts";
import { Bar } from "./bar.tsx";
import { Change } from "./change.tsx";
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
  const line = (row: Row, key: number | string, head: preact.ComponentChildren) => (
    <tr key={key}>
      {head}
      <Figures
        metrics={figures}
        read={readerOf(columns, row)}
        most={typeof key === "number" ? most : undefined}
      />
    </tr>
  );
  return (
    <section>
      <h2>Calls by {view.by.map((name) => titleOf(name).toLowerCase()).join(" and ")}</h2>
      <TableTools source={source} view={view} table={{ columns, rows: sorted, totals }} go={go} />
      <div class="scroll figures">
        <table>
          <thead>
            <tr>
              {view.by.map((name, place) => (
                <SortHead key={name} columns={[name]} isKey={place > 0} sort={view.sort} onSort={sort} />
              ))}
              {figures.map(({ name }) => (
                <SortHead
                  key={name}
                  columns={hasChange(name) ? [name, changeOf(name)] : [name]}
                  sort={view.sort}
                  onSort={sort}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, index) =>
              line(row, index, <Keys by={view.by} row={row} onChoose={() => filterBy(row)} />),
            )}
          </tbody>
          <tfoot>
            {totals.map(({ kind, values }) =>
              line(
                values,
                kind,
                <th scope="row" colSpan={view.by.length}>
                  {String(values[0])}
                </th>,
              ),
            )}
          </tfoot>
        </table>
      </div>
      {sorted.length > shown.length && (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {formatCount(sorted.length)} rows
        </button>
      )}
    </section>
  );
}

interface FiguresProps {
  metrics: readonly Measure[];
  read: ReturnType<typeof readerOf>;
  /** The calls of the row with most; without it, no bar is drawn. */
  most: number | undefined;
}

function Figures({ metrics, read, most }: FiguresProps) {
  return metrics.map((metric) => {
    const now = read(metric.name);
    return (
      <td key={metric.name}>
        <data value={String(now ?? "")}>{formatFigure(metric, read)}</data>
        <Change metric={metric} read={read} />
        {metric.name === "calls" && most !== undefined && <Bar share={(now ?? 0) / most} />}
      </td>
    );
  });
}

interface KeysProps {
  by: Parameters<typeof keysOf>[0];
  row: Row;
  onChoose: () => void;
}

function Keys({ by, row, onChoose }: KeysProps) {
  return keysOf(by, row).map(({ dimension, texts: [name, id] }, place) => (
    <Key key={dimension} name={String(name)} id={id ?? null} isFirst={place === 0} onChoose={onChoose} />
  ));
}

interface KeyProps {
  name: string;
  id: string | number | null;
  /** Whether it is the key of the first dimension, which heads its row. */
  isFirst: boolean;
  onChoose: () => void;
}

function Key({ name, id, isFirst, onChoose }: KeyProps) {
  const label = (
    <>
      <bdi>{toPrintable(name)}</bdi>
      {id !== null && <span class="id">{toPrintable(String(id))}</span>}
    </>
  );
  if (!isFirst) return <td class="key">{label}</td>;
  if (name === OTHER) return <th scope="row">{label}</th>;
  return (
    <th scope="row">
      <button type="button" class="plain" onClick={onChoose}>
        {label}
      </button>
    </th>
  );
}

interface SortHeadProps {
  /** The column, and the one of its change, if it is compared. */
  columns: readonly string[];
  isKey?: boolean;
  sort: { column: string; isDescending: boolean } | undefined;
  onSort: (column: string) => void;
}

function SortHead({ columns, isKey = false, sort, onSort }: SortHeadProps) {
  const order = sort?.isDescending ? "descending" : "ascending";
  const isSorted = (column: string) => sort?.column === column;
  return (
    <th scope="col" class={isKey ? "key" : ""} aria-sort={columns.some(isSorted) ? order : undefined}>
      {columns.map((column, place) => (
        <button
          key={column}
          type="button"
          class={place > 0 ? "plain change" : "plain"}
          aria-label={titleOf(column)}
          onClick={() => onSort(column)}
        >
          {place > 0 ? "change" : titleOf(column)}
          {isSorted(column) && <span aria-hidden="true">{sort?.isDescending ? " ↓" : " ↑"}</span>}
        </button>
      ))}
    </th>
  );
}
