import type { FactValue } from "../dictionary.ts";

export function isSmallCount(count: number, minCell: number): boolean {
  return count > 0 && count < minCell;
}

/** Returns a function that blanks the figures of a row with too few calls, now or in the previous span. */
export function blankSmall(
  columns: readonly { name: string }[],
  minCell: number,
): (row: FactValue[]) => FactValue[] {
  const indexOf = (name: string) => columns.findIndex((column) => column.name === name);
  const [calls, before] = [indexOf("calls"), indexOf("calls_previous")];
  return (row) => {
    const isSmall = [row[calls], row[before]].some((count) => isSmallCount(Number(count), minCell));
    return isSmall ? row.map((value, index) => (index < calls ? value : null)) : row;
  };
}
