import type { Value } from "../../../../export/table.ts";
import { DIMENSIONS, type Dimension, keyColumns } from "../../../../figures/dimensions.ts";
import { compareKeys, compareValues } from "../../../../figures/key-order.ts";
import { filterTextOf } from "../more-answers.ts";

export type Row = readonly Value[];

/** Splits a row's keys by dimension; some have a name and an id. */
export function keysOf(by: readonly Dimension[], row: Row) {
  let at = 0;
  return by.map((dimension) => {
    const texts = row.slice(at, at + keyColumns([dimension]).length);
    at += texts.length;
    return { dimension, texts };
  });
}

export function filterOfRow(by: readonly Dimension[], row: Row) {
  return Object.fromEntries(
    keysOf(by, row).map(({ dimension, texts }) => [dimension, [filterTextOf(texts)]]),
  );
}

/** Sorts by a column; rows without a value come last. */
export function sortRows(
  rows: readonly Row[],
  sort: { index: number; column: string; isDescending: boolean } | undefined,
): readonly Row[] {
  if (sort === undefined || sort.index < 0) return rows;
  const { index, column, isDescending } = sort;
  const key = keyColumns(DIMENSIONS).find(({ name }) => name === column);
  const compare = key ? compareKeys.bind(undefined, key) : compareValues;
  return rows.toSorted((a, b) => {
    const [first = null, second = null] = [a[index], b[index]];
    if (first === null || second === null) return Number(first === null) - Number(second === null);
    return isDescending ? compare(second, first) : compare(first, second);
  });
}
