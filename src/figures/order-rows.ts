import type { Cells, Folding } from "./cells/cells.ts";
import { isLocalKey } from "./dimensions.ts";
import { rankKeys, rankShown } from "./key-order.ts";
import { NOT_SET } from "./reserved-keys.ts";

export interface RowsToOrder {
  cells: Cells;
  folding: Folding | undefined;
  callsOf: (row: number) => number;
}

/** Sorts rows by period, most calls, key; if all keys are weekdays and hours, in their order; `(other)` last. */
export function orderRows(rows: Int32Array, { cells, folding, callsOf }: RowsToOrder): Int32Array {
  const { columns, periods, table } = cells;
  const isLocal = columns.every(({ key }) => isLocalKey(key));
  const periodRanks = periods && rankShown(periods, (period) => period ?? NOT_SET);
  const codeAt = (row: number, index: number) =>
    folding?.isOther(row) ? 0 : table.codeAt(cells.keyOf(row), index);
  const ofKeys = columns.map(({ key, dictionary }, index) => {
    const codes = rows.map((row) => codeAt(row, index));
    const isFew = rows.length < dictionary.values.length;
    const ranks = rankKeys(key, dictionary, isFew ? codes : undefined);
    return Float64Array.from(codes, (code) => ranks[code] ?? 0);
  });
  const places: Float64Array[] = [
    ...(periodRanks ? [placesOf(rows, (row) => periodRanks[(folding ?? cells).periodOf(row)] ?? 0)] : []),
    ...(folding ? [placesOf(rows, (row) => Number(folding.isOther(row)))] : []),
    ...(isLocal ? [] : [placesOf(rows, (row) => -callsOf(row))]),
    ...ofKeys,
  ];
  const compare = (a: number, b: number) => {
    for (const ranks of places) {
      const order = (ranks[a] ?? 0) - (ranks[b] ?? 0);
      if (order !== 0) return order;
    }
    return 0;
  };
  const sorted = new Int32Array(rows.length).map((_, index) => index).sort(compare);
  return sorted.map((at) => rows[at] ?? 0);
}

const placesOf = (rows: Int32Array, place: (row: number) => number) => Float64Array.from(rows, place);
