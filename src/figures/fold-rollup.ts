import { type Cells, Folding } from "./cells.ts";
import {
  type CountedCells,
  type CountedSide,
  countCells,
  type FoldSource,
  makeCells,
  presentCells,
  sidesOf,
  spentOn,
} from "./counted-cells.ts";
import type { FactValue } from "./dictionary.ts";
import { keepLarge, keepTop } from "./kept-cells.ts";
import { showKey } from "./key-order.ts";
import { orderRows } from "./order-rows.ts";
import { NOT_SET, OTHER } from "./reserved-keys.ts";
import { measuresOf, type RollupQuery } from "./rollup-query.ts";
import { type FigureContext, figuresReader, partsNeeded, type SideRows } from "./row-figures.ts";
import { addSpent, type Spent } from "./spent.ts";

export interface FoldedRow {
  /** Period if any, keys, figures. */
  values: FactValue[];
  /** Whether it is the row {@link OTHER}. */
  isOther: boolean;
}

/**
 * Folds a rollup: key columns, then metrics, each followed by its comparison. Sorted by period, most calls, key; if all
 * keys are weekdays and hours, in their order; the row {@link OTHER} last.
 */
export async function foldRollup(
  query: RollupQuery,
  source: FoldSource,
  known: Omit<FigureContext, "rules"> = {},
): Promise<Iterable<FoldedRow>> {
  const isTotal = query.dimensions.length === 0 && query.periods === undefined;
  const isOfParts = isTotal && query.totalOf !== undefined && query.spend !== undefined;
  const counted = isOfParts || isFolded(query) || query.fill ? await countCells(query, source) : undefined;
  const cells = counted?.cells ?? makeCells(query, source);
  const kept = counted && isFolded(query) ? keptCells(query, counted) : undefined;
  const filled = counted && query.fill ? fillCells(query, counted, kept) : [];
  const folding = kept && new Folding(cells, kept);
  const totals = isOfParts ? counted?.sides.map((side) => foldTotal(query, cells, side)) : undefined;
  const measures = measuresOf(query, source.rules);
  const sides: SideRows[] = [];
  for (const [index, side] of sidesOf(query).entries()) {
    const own = totals?.[index] ?? folding;
    const parts = await source.groups({ ...side, cells, folding: own, parts: partsNeeded(measures) });
    const spent = counted?.sides[index]?.spent ?? spentOn(side, { query, source, cells });
    sides.push({ parts, ...foldSpent(own, spent, counted?.sides[index]?.calls) });
  }
  const figures = figuresReader(measures, sides, { ...known, rules: source.rules });
  if (isTotal) return [{ values: figures(totals?.[0]?.otherOf(0) ?? 0), isOther: false }];
  const others = counted && kept && query.fill && presentCells(counted).some((cell) => !kept.has(cell));
  const filledOthers = folding && others ? labels(query, cells).map((period) => folding.otherOf(period)) : [];
  const rows = Int32Array.from(new Set([...rowsOf(sides), ...filled, ...filledOthers]));
  const callsOf = (row: number) => sides[0]?.parts.calls?.[row] ?? 0;
  return showRows(orderRows(rows, { cells, folding, callsOf }), { cells, folding, figures });
}

const isFolded = ({ dimensions, top, minCell }: RollupQuery) =>
  dimensions.length > 0 && (top !== undefined || minCell !== undefined);

function keptCells({ top, minCell }: RollupQuery, counted: CountedCells): ReadonlySet<number> {
  return minCell === undefined ? keepTop(counted, top ?? 0) : keepLarge(counted, minCell);
}

/** The codes of the labels of all periods. */
function labels({ periods = [] }: RollupQuery, cells: Cells): number[] {
  return periods.map(({ period }) => cells.periods?.codeOf(period) ?? 0);
}

/** Returns a cell for each key that is shown, in each period. */
function fillCells(
  query: RollupQuery,
  counted: CountedCells,
  kept: ReadonlySet<number> | undefined,
): number[] {
  const { cells } = counted;
  const shown = kept ?? presentCells(counted);
  const keys = cells.columns.length === 0 ? [0] : new Set([...shown].map((cell) => cells.keyOf(cell)));
  return [...keys].flatMap((key) => labels(query, cells).map((period) => cells.codeOf(key, period)));
}

/** Folds what a total is of: all cells, or those with a cost over 0. */
function foldTotal(
  { isWithSpend = false }: RollupQuery,
  cells: Cells,
  { calls, spent }: CountedSide,
): Folding {
  if (!isWithSpend) return new Folding(cells, []);
  const isPaid = (cell: number) => (spent.get(cell)?.costMicros ?? 0n) > 0n;
  const unpaid = [...calls.keys(), ...spent.keys()].filter((cell) => !isPaid(cell));
  return new Folding(cells, unpaid);
}

/** Adds up the spend of each row. @param calls by cell; undefined if each cell is a row */
function foldSpent(
  folding: Folding | undefined,
  spent: ReadonlyMap<number, Spent>,
  calls: Float64Array | undefined,
): Pick<SideRows, "spent" | "unpaid"> {
  if (folding === undefined || calls === undefined) return { spent, unpaid: new Set() };
  const sums = new Map<number, Spent>();
  for (const [cell, own] of spent) {
    const row = folding.rowOf(cell);
    sums.set(row, addSpent(sums.get(row), own));
  }
  const unpaid = new Set<number>();
  if (spent.size === 0) return { spent: sums, unpaid };
  for (const [cell, count] of calls.entries()) {
    if (count > 0 && !((spent.get(cell)?.costMicros ?? 0n) > 0n)) unpaid.add(folding.rowOf(cell));
  }
  return { spent: sums, unpaid };
}

/** Lists the rows that have calls or spend on any side. */
function* rowsOf(sides: readonly SideRows[]): Generator<number> {
  for (const { parts, spent } of sides) {
    for (const [row, calls] of (parts.calls ?? []).entries()) if (calls > 0) yield row;
    yield* spent.keys();
  }
}

function* showRows(
  rows: Int32Array,
  {
    cells,
    folding,
    figures,
  }: { cells: Cells; folding: Folding | undefined; figures: (row: number) => FactValue[] },
): Generator<FoldedRow> {
  for (const row of rows) {
    const isOther = folding?.isOther(row) ?? false;
    const key = isOther ? otherKey(folding?.periodOf(row) ?? 0, cells) : keyOf(row, cells);
    yield { values: [...key, ...figures(row)], isOther };
  }
}

/** Returns what a cell shows: its period if any, and its key. */
export function keyOf(cell: number, cells: Cells): FactValue[] {
  const values = cells.table.valuesOf(cells.keyOf(cell));
  const shown = cells.columns.map(({ key }, index) => showKey(key, values[index] ?? null));
  return [...periodText(cells.periodOf(cell), cells), ...shown];
}

function otherKey(period: number, cells: Cells): FactValue[] {
  return [...periodText(period, cells), ...cells.columns.map((_, index) => (index === 0 ? OTHER : null))];
}

function periodText(period: number, { periods }: Cells): FactValue[] {
  return periods ? [periods.values[period] ?? NOT_SET] : [];
}
