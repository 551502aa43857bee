import type { LabelledPeriod } from "../base/calendar/periods.ts";
import { addEarned, type Earnings } from "./amounts/earned.ts";
import { addSpent, type Spent } from "./amounts/spent.ts";
import { type Cells, Folding } from "./cells/cells.ts";
import {
  type CountedCells,
  type CountedSide,
  countCells,
  earnedOn,
  type FoldSource,
  makeCells,
  presentCells,
  sidesOf,
  spentOn,
} from "./cells/counted-cells.ts";
import { keepLarge, keepTop } from "./cells/kept-cells.ts";
import type { FactValue } from "./dictionary.ts";
import { showKey } from "./key-order.ts";
import { orderRows } from "./order-rows.ts";
import { NOT_SET, OTHER } from "./reserved-keys.ts";
import { type ComparedSide, measuresOf, type RollupQuery } from "./rollup-query.ts";
import { figureReaders, type KnownSide, partsNeeded, type SideRows } from "./row-figures.ts";

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
  known: readonly KnownSide[] = [],
): Promise<Iterable<FoldedRow>> {
  const isTotal = query.dimensions.length === 0 && query.periods === undefined;
  const isOfParts = isTotal && query.totalOf !== undefined && query.spend !== undefined;
  const counted = isOfParts || isFolded(query) || query.fill ? await countCells(query, source) : undefined;
  const cells = counted?.cells ?? makeCells(query, source);
  const shownCells = counted && isFolded(query) ? keptCells(query, counted) : undefined;
  const filled = counted && query.fill ? fillCells(query, counted, shownCells) : [];
  const folding = shownCells && new Folding(cells, shownCells);
  const totals = isOfParts ? counted?.sides.map((side) => foldTotal(query, cells, side)) : undefined;
  const measures = measuresOf(query, source.rules);
  const sides: SideRows[] = [];
  for (const [index, side] of sidesOf(query).entries()) {
    const ofSide = totals?.[index] ?? folding;
    const parts = await source.groups({ ...side, cells, folding: ofSide, parts: partsNeeded(measures) });
    const known = counted?.sides[index] ?? {
      calls: undefined,
      spent: spentOn(side, { query, source, cells }),
      earned: await earnedOn(side, { query, source, cells }),
    };
    sides.push({ parts, ...foldSpent(ofSide, known) });
  }
  const compared = (query.compared ?? []).map((side, index) => ({
    ...known[index],
    hasBefore: counterpartTest(query.periods, side, cells, folding),
  }));
  const figures = figureReaders(measures, sides, { compared, rules: source.rules });
  const rowOfAll = totals?.[0]?.otherOf(0) ?? 0;
  if (isTotal) return [{ values: figures.map((read) => read(rowOfAll)), isOther: false }];
  const others =
    counted && shownCells && query.fill && presentCells(counted).some((cell) => !shownCells.has(cell));
  const filledOthers = folding && others ? labels(query, cells).map((period) => folding.otherOf(period)) : [];
  const rows = rowsOf(folding?.size ?? cells.size, sides, [...filled, ...filledOthers]);
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

/** Returns whether a row's period has a counterpart: the compared span may have fewer periods, or end earlier. */
function counterpartTest(
  periods: readonly LabelledPeriod[] = [],
  side: ComparedSide,
  cells: Cells,
  folding: Folding | undefined,
) {
  const { endsAt } = side.span;
  const isIn = ({ startsAt }: LabelledPeriod) => endsAt === undefined || startsAt < endsAt;
  const compared = new Set(side.periods?.filter(isIn).map(({ period }) => period));
  const lacking = new Set<FactValue>(
    periods.map(({ period }) => period).filter((period) => !compared.has(period)),
  );
  return (row: number) => !lacking.has(cells.periods?.values[(folding ?? cells).periodOf(row)] ?? null);
}

/** Returns a cell for each key that is shown, in each period. */
function fillCells(
  query: RollupQuery,
  counted: CountedCells,
  shownCells: ReadonlySet<number> | undefined,
): number[] {
  const { cells } = counted;
  const shown = shownCells ?? presentCells(counted);
  const keys = cells.columns.length === 0 ? [0] : new Set([...shown].map((cell) => cells.keyOf(cell)));
  return [...keys].flatMap((key) => labels(query, cells).map((period) => cells.codeOf(key, period)));
}

/** Folds what a total is of: all cells, or those with a cost over 0. */
function foldTotal(
  { isWithSpend = false }: RollupQuery,
  cells: Cells,
  { calls, spent, earned }: CountedSide,
): Folding {
  if (!isWithSpend) return new Folding(cells, []);
  const isPaid = (cell: number) => (spent.get(cell)?.costMicros ?? 0n) > 0n;
  const unpaid = [...calls.keys(), ...spent.keys(), ...earned.keys()].filter((cell) => !isPaid(cell));
  return new Folding(cells, unpaid);
}

/** Adds up the spend and the outcomes of each row. @param side its calls are undefined if each cell is a row */
function foldSpent(
  folding: Folding | undefined,
  { calls, spent, earned }: Omit<CountedSide, "calls"> & { calls: Float64Array | undefined },
): Pick<SideRows, "spent" | "earned" | "unpaid"> {
  if (folding === undefined || calls === undefined) return { spent, earned, unpaid: new Set() };
  const sums = new Map<number, Spent>();
  for (const [cell, amounts] of spent) {
    const row = folding.rowOf(cell);
    sums.set(row, addSpent(sums.get(row), amounts));
  }
  const earnings = new Map<number, Earnings>();
  for (const [cell, amounts] of earned) {
    const row = folding.rowOf(cell);
    earnings.set(row, addEarned(earnings.get(row), amounts));
  }
  const unpaid = new Set<number>();
  const known = { spent: sums, earned: earnings, unpaid };
  if (spent.size === 0) return known;
  const noteUnpaid = (cell: number) => {
    if (!((spent.get(cell)?.costMicros ?? 0n) > 0n)) unpaid.add(folding.rowOf(cell));
  };
  for (const [cell, count] of calls.entries()) if (count > 0) noteUnpaid(cell);
  for (const cell of earned.keys()) noteUnpaid(cell);
  return known;
}

/** Lists the rows that have calls, spend or outcomes on any side, and the filled ones. */
function rowsOf(size: number, sides: readonly SideRows[], filled: readonly number[]): Int32Array {
  const isShown = new Uint8Array(size);
  for (const { parts, spent, earned } of sides) {
    parts.calls?.forEach((calls, row) => {
      if (calls > 0) isShown[row] = 1;
    });
    for (const row of [...spent.keys(), ...earned.keys()]) isShown[row] = 1;
  }
  for (const row of filled) isShown[row] = 1;
  const rows = new Int32Array(isShown.reduce((count, shown) => count + shown, 0));
  let next = 0;
  isShown.forEach((shown, row) => {
    if (shown === 1) rows[next++] = row;
  });
  return rows;
}

type ReadCell = (row: number) => FactValue;

function* showRows(
  rows: Int32Array,
  { cells, folding, figures }: { cells: Cells; folding: Folding | undefined; figures: readonly ReadCell[] },
): Generator<FoldedRow> {
  const isOther = (row: number) => folding?.isOther(row) ?? false;
  const { periods } = cells;
  const ofPeriod: ReadCell[] = periods
    ? [(row) => periods.values[(folding ?? cells).periodOf(row)] ?? NOT_SET]
    : [];
  const ofKeys = keyReaders(cells).map((read, index): ReadCell => {
    if (folding === undefined) return read;
    const ofOther = index === 0 ? OTHER : null;
    return (row) => (folding.isOther(row) ? ofOther : read(row));
  });
  const readers = [...ofPeriod, ...ofKeys, ...figures];
  for (const row of rows) yield { values: readers.map((read) => read(row)), isOther: isOther(row) };
}

/** Returns functions to what a cell's key shows, by column. */
function keyReaders(cells: Cells): ReadCell[] {
  const { columns, table } = cells;
  return columns.map(({ key, dictionary }, index) => (cell) => {
    const code = table.codeAt(cells.keyOf(cell), index);
    return showKey(key, dictionary.values[code] ?? null);
  });
}

/** Returns what a cell shows: its period if any, and its key. */
export function keyOf(cell: number, cells: Cells): FactValue[] {
  const { periods } = cells;
  const period = periods ? [periods.values[cells.periodOf(cell)] ?? NOT_SET] : [];
  return [...period, ...keyReaders(cells).map((read) => read(cell))];
}
