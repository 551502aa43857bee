import type { FactValue } from "../dictionary.ts";
import type { ShownComparison } from "../rollup-query.ts";

export function isSmallCount(count: number, minCell: number): boolean {
  return count > 0 && count < minCell;
}

/** Returns a function that blanks the figures of a row with too few calls, now or in the previous span. */
export function blankSmall(
  columns: readonly { name: string; comparison?: ShownComparison }[],
  minCell: number,
): (row: FactValue[]) => FactValue[] {
  const calls = columns.findIndex(({ name }) => name === "calls");
  const counts = columns.flatMap(({ comparison }, index) =>
    index === calls || (comparison?.of === "calls" && comparison.shows === "previous") ? [index] : [],
  );
  return (row) => {
    const isSmall = counts.map((index) => row[index]).some((count) => isSmallCount(Number(count), minCell));
    return isSmall ? row.map((value, index) => (index < calls ? value : null)) : row;
  };
}
