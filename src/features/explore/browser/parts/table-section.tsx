import { useState } from "preact/hooks";
import { toPrintable } from "../../../../base/printable.ts";
import { toDelimited } from "../../../../export/formats/delimited.ts";
import type { Table, Value } from "../../../../export/table.ts";
import { DIMENSIONS, type Dimension, keyColumns, SPEND_DIMENSIONS } from "../../../../figures/dimensions.ts";
import { compareKeys, compareValues } from "../../../../figures/key-order.ts";
import { OTHER } from "../../../../figures/reserved-keys.ts";
import { figuresOfPage, needsSpend, tableFigures } from "../answers.ts";
import { formatChange, formatCount, formatFigure, titleOf } from "../format.ts";
import { filterTextOf } from "../more-answers.ts";
import { Bar } from "./bar.tsx";
import { Menu } from "./menu.tsx";
import type { PartProps } from "./part.ts";

/** More rows are shown when asked for. */
const ROWS_SHOWN = 50;

type Row = readonly Value[];

export function TableSection({ source: { facts }, answers: { view, table }, go }: PartProps) {
  const [isWhole, setWhole] = useState(false);
  const { columns, totals } = table;
  const known = figuresOfPage(facts);
  const names = known.map(({ name }) => name);
  const isOfSpend = view.by.every((name) => SPEND_DIMENSIONS.includes(name));
  const at = (name: string) => columns.findIndex((column) => column.name === name);
  const sorted = sortRows(table.rows, view.sort && { index: at(view.sort.column), ...view.sort });
  const shown = isWhole ? sorted : sorted.slice(0, ROWS_SHOWN);
  const most = Math.max(1, ...table.rows.map((row) => Number(row[at("calls")] ?? 0)));
  const sort = (column: string) => {
    const isSame = view.sort?.column === column;
    if (isSame && !view.sort?.isDescending) go({ sort: undefined });
    else go({ sort: { column, isDescending: !isSame } });
  };
  const choose = (figures: readonly string[]) => go({ figures, sort: undefined });
  const filterBy = (row: Row) => go({ filter: { ...view.filter, ...filterOfRow(view.by, row) } });
  const figures = tableFigures(view).flatMap((name) => known.find((metric) => metric.name === name) ?? []);
  const line = (row: Row, key: number | string, head: preact.ComponentChildren) => (
    <tr key={key}>
      {head}
      {figures.map((metric) => {
        const read = (name: string) => numberAt(row, at(name));
        const [now, before] = [read(metric.name), read(`${metric.name}_previous`)];
        const isWithinChance = read(`${metric.name}_within_chance`) === 1;
        return (
          <td key={metric.name}>
            <data value={String(now ?? "")}>{formatFigure(metric, now)}</data>
            {at(`${metric.name}_change`) >= 0 && (
              <span class={isWithinChance ? "change chance" : "change"}>
                {read(`${metric.name}_change`) === null ? "" : formatChange(metric, now, before)}
                {isWithinChance && " chance"}
              </span>
            )}
            {metric.name === "calls" && typeof key === "number" && <Bar share={(now ?? 0) / most} />}
          </td>
        );
      })}
    </tr>
  );
  return (
    <section>
      <h2>Calls by {view.by.map((name) => titleOf(name).toLowerCase()).join(" and ")}</h2>
      <fieldset class="toolbar" aria-label="Table">
        <DimensionSelect
          label="By"
          value={view.by[0] ?? ""}
          all={facts.dimensions}
          onChoose={(name) =>
            name && go({ by: [name, ...view.by.slice(1).filter((other) => other !== name)], sort: undefined })
          }
        />
        <DimensionSelect
          label="and"
          value={view.by[1] ?? ""}
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
                    checked={view.figures.includes(name)}
                    disabled={figures.length === 1 && view.figures.includes(name)}
                    onChange={() =>
                      choose(names.filter((each) => (each === name) !== view.figures.includes(each)))
                    }
                  />
                  {titleOf(name)}
                  {needsSpend(name) && !isOfSpend && " (not by these dimensions)"}
                </label>
              </li>
            ))}
          </ul>
        </Menu>
        <button
          type="button"
          onClick={() => download(`${view.by.join("-")}.csv`, csvOf({ columns, rows: sorted, totals }))}
        >
          Download CSV
        </button>
      </fieldset>
      <div class="scroll figures">
        <table>
          <thead>
            <tr>
              {view.by.map((name) => (
                <SortHead key={name} name={name} sort={view.sort} onSort={() => sort(name)} />
              ))}
              {figures.map(({ name }) => (
                <SortHead key={name} name={name} sort={view.sort} onSort={() => sort(name)} />
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, index) => {
              const keys = keysOf(view.by, row);
              return line(
                row,
                index,
                keys.map(({ dimension, texts: [name, id] }, place) => {
                  const label = (
                    <>
                      <bdi>{toPrintable(String(name))}</bdi>
                      {id !== null && id !== undefined && <span class="id">{toPrintable(String(id))}</span>}
                    </>
                  );
                  if (place > 0)
                    return (
                      <td key={dimension} class="key">
                        {label}
                      </td>
                    );
                  return (
                    <th key={dimension} scope="row">
                      {name === OTHER ? (
                        label
                      ) : (
                        <button type="button" class="plain" onClick={() => filterBy(row)}>
                          {label}
                        </button>
                      )}
                    </th>
                  );
                }),
              );
            })}
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

interface SelectProps {
  label: string;
  value: string;
  all: readonly Dimension[];
  none?: string;
  onChoose: (name: Dimension | undefined) => void;
}

function DimensionSelect({ label, value, all, none, onChoose }: SelectProps) {
  return (
    <label>
      {label}
      <select
        value={value}
        onChange={({ currentTarget }) => onChoose(all.find((name) => name === currentTarget.value))}
      >
        {none && <option value="">{none}</option>}
        {all.map((name) => (
          <option key={name} value={name}>
            {titleOf(name).toLowerCase()}
          </option>
        ))}
      </select>
    </label>
  );
}

interface SortHeadProps {
  name: string;
  sort: { column: string; isDescending: boolean } | undefined;
  onSort: () => void;
}

function SortHead({ name, sort, onSort }: SortHeadProps) {
  const isSorted = sort?.column === name;
  const order = sort?.isDescending ? "descending" : "ascending";
  return (
    <th scope="col" aria-sort={isSorted ? order : undefined}>
      <button type="button" class="plain" onClick={onSort}>
        {titleOf(name)}
        {isSorted && <span aria-hidden="true">{sort?.isDescending ? " ↓" : " ↑"}</span>}
      </button>
    </th>
  );
}

function numberAt(row: Row, index: number): number | null {
  const value = row[index];
  return typeof value === "number" ? value : null;
}

/** Splits a row's keys by dimension; some have a name and an id. */
function keysOf(by: readonly Dimension[], row: Row) {
  let at = 0;
  return by.map((dimension) => {
    const texts = row.slice(at, at + keyColumns([dimension]).length);
    at += texts.length;
    return { dimension, texts };
  });
}

function filterOfRow(by: readonly Dimension[], row: Row) {
  return Object.fromEntries(
    keysOf(by, row).map(({ dimension, texts }) => [dimension, [filterTextOf(texts)]]),
  );
}

/** Sorts by a column; rows without a value come last. */
function sortRows(
  rows: readonly Row[],
  sort: { index: number; column: string; isDescending: boolean } | undefined,
): readonly Row[] {
  if (sort === undefined || sort.index < 0) return rows;
  const { index, column, isDescending } = sort;
  const key = keyColumns(DIMENSIONS).find(({ name }) => name === column);
  const compare = key ? compareKeys.bind(undefined, key) : compareValues;
  return rows.toSorted((a, b) => {
    const [own = null, other = null] = [a[index], b[index]];
    if (own === null || other === null) return Number(own === null) - Number(other === null);
    return isDescending ? compare(other, own) : compare(own, other);
  });
}

function csvOf(table: Table): string {
  return [...toDelimited(table, { delimiter: "," })].join("");
}

function download(name: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
