import type { FactValue } from "./engine.ts";

export function isSmallCount(count: number, minCell: number): boolean {
  return count > 0 && count < minCell;
}

/** Blanks the figures of rows with too few calls, now or in the previous span; hidden columns stay. */
export function* blankSmallRows(
  rows: Iterable<FactValue[]>,
  columns: readonly { name: string }[],
  minCell: number,
): Generator<FactValue[]> {
  const indexOf = (name: string) => columns.findIndex((column) => column.name === name);
  const [calls, before] = [indexOf("calls"), indexOf("calls_previous")];
  for (const row of rows) {
    const isSmall = [row[calls], row[before]].some((count) => isSmallCount(Number(count), minCell));
    yield isSmall
      ? row.map((value, index) => (index < calls || index >= columns.length ? value : null))
      : row;
  }
}
