import { rankKeys, rankShown, showKey } from "../key-order.ts";
import type { Cells } from "./cells.ts";
import { type CountedCells, callsIn, presentCells } from "./counted-cells.ts";
import { isSmallCount } from "./small-cells.ts";

/** Returns the cells of the keys with the most calls, and of the key without a value, which is never folded. */
export function keepTop(counted: CountedCells, top: number): ReadonlySet<number> {
  const { cells } = counted;
  const present = presentCells(counted);
  const calls = new Map<number, number>();
  for (const cell of present) {
    const key = cells.keyOf(cell);
    calls.set(key, (calls.get(key) ?? 0) + callsIn(counted, 0, cell));
  }
  const callsOf = (key: number) => calls.get(key) ?? 0;
  const keys = [...calls.keys()].filter((key) => hasValue(cells, key));
  // Only keys with as many calls as the last one kept are sorted: there may be a million of them.
  const fewest = Float64Array.from(keys, callsOf).sort().at(-top) ?? 0;
  const most = keys.filter((key) => callsOf(key) >= fewest);
  const compare = keyOrder(cells, rankKeys, most);
  const ranked = most.sort((a, b) => callsOf(b) - callsOf(a) || compare(a, b));
  const largest = new Set(ranked.slice(0, top));
  return new Set(
    present.filter((cell) => largest.has(cells.keyOf(cell)) || !hasValue(cells, cells.keyOf(cell))),
  );
}

/** Returns the cells that are neither small nor among the next smallest of their period, which `(other)` takes so that it is not small itself. */
export function keepLarge(counted: CountedCells, minCell: number): ReadonlySet<number> {
  const { cells } = counted;
  const sizes = (cell: number) => [callsIn(counted, 0, cell), callsIn(counted, 1, cell)] as const;
  const isSmall = (counts: readonly number[]) => counts.some((count) => isSmallCount(count, minCell));
  const compare = keyOrder(cells, (key, dictionary) => rankShown(dictionary, (value) => showKey(key, value)));
  const total = ([now, before]: readonly [number, number]) => now + before;
  const large = new Set<number>();
  for (const ofPeriod of Map.groupBy(presentCells(counted), (cell) => cells.periodOf(cell)).values()) {
    ofPeriod.sort(
      (a, b) =>
        Number(isSmall(sizes(b))) - Number(isSmall(sizes(a))) ||
        total(sizes(a)) - total(sizes(b)) ||
        compare(cells.keyOf(a), cells.keyOf(b)),
    );
    const smaller: [number, number] = [0, 0];
    for (const cell of ofPeriod) {
      const [now, before] = sizes(cell);
      if (!isSmall([now, before]) && !isSmall(smaller)) large.add(cell);
      smaller[0] += now;
      smaller[1] += before;
    }
  }
  return large;
}

/** Counts the keys over all periods, and those with a value. */
export function countKeys(counted: CountedCells): { all: number; withValue: number } {
  const keys = new Set(presentCells(counted).map((cell) => counted.cells.keyOf(cell)));
  const withValue = [...keys].filter((key) => hasValue(counted.cells, key)).length;
  return { all: keys.size, withValue };
}

/** Counts the cells that are folded because they, or their neighbours, have fewer calls; none of periods that are blank. */
export function countSmall(counted: CountedCells, minCell: number): number {
  const { cells } = counted;
  const large = keepLarge(counted, minCell);
  let small = 0;
  for (const ofPeriod of Map.groupBy(presentCells(counted), (cell) => cells.periodOf(cell)).values()) {
    const isBlank = ([0, 1] as const).some((side) =>
      isSmallCount(
        ofPeriod.reduce((sum, cell) => sum + callsIn(counted, side, cell), 0),
        minCell,
      ),
    );
    if (!isBlank) small += ofPeriod.filter((cell) => !large.has(cell)).length;
  }
  return small;
}

/** Whether a key has a value in any column. */
function hasValue({ table }: Cells, key: number): boolean {
  return table.valuesOf(key).some((value) => value !== null);
}

/**
 * Returns a function that compares keys.
 * @param rank ranks a dictionary's values
 * @param compared the keys to compare. @default all
 */
function keyOrder(
  { columns, table }: Cells,
  rank: typeof rankKeys,
  compared?: readonly number[],
): (a: number, b: number) => number {
  const ranks = columns.map(({ key, dictionary }, index) =>
    rank(
      key,
      dictionary,
      compared?.map((each) => table.codeAt(each, index)),
    ),
  );
  return (a, b) => {
    for (const [index, places] of ranks.entries()) {
      const order = (places[table.codeAt(a, index)] ?? 0) - (places[table.codeAt(b, index)] ?? 0);
      if (order !== 0) return order;
    }
    return 0;
  };
}
