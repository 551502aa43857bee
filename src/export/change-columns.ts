import type { ComparisonName } from "../base/calendar/grain.ts";
import { hasChance, isChangeWithinChance } from "../figures/change-chance.ts";
import type { ShownComparison } from "../figures/rollup-query.ts";
import type { Column, Value } from "./table.ts";
import type { Counterpart } from "./timeframe.ts";

/** Whether a column shows a change that chance may explain. */
export function shownChange({ comparison }: Column): boolean {
  const isChange = comparison?.shows === "change" || comparison?.shows === "points";
  return isChange && hasChance(comparison.of);
}

/** Returns a function that says of a row whether chance alone may explain a change in it; null if it cannot be judged. */
export function chanceReader(columns: readonly Column[], compared: readonly Counterpart[]) {
  const places = new Map(columns.map(({ name }, index) => [name, index]));
  const sides = new Map<ComparisonName, { days: Counterpart; times: ReadonlyMap<Value, number | undefined> }>(
    compared.map((days) => [
      days.as,
      { days, times: new Map(days.periods.map((each) => [each.period, each.times])) },
    ]),
  );
  return (row: readonly Value[], { of, as }: Pick<ShownComparison, "of" | "as">): boolean | null => {
    const side = sides.get(as);
    if (side === undefined) return null;
    const { days, times } = side;
    const read = (column: string) => row[places.get(column) ?? -1];
    return isChangeWithinChance(of, read, { ...days, times: times.get(row[0] ?? null) ?? days.times });
  };
}
