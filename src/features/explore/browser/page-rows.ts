import type { Span } from "../../../base/calendar/dates.ts";
import type { Codes } from "../../../figures/key-table.ts";

/** Rows in the order of their days, as columns. */
export interface PageRows {
  rows: number;
  /** Their places among all rows. */
  places: Int32Array;
  /** The local day, of calls also the hour, as if it were UTC. */
  startsMs: Float64Array;
  /** A code for each key column. */
  codes: ReadonlyMap<string, Codes>;
}

type Numbers = Uint8Array | Int32Array | Float64Array;

/** A row passes if its code is wanted in any of the columns. */
export type Test = readonly { codes: Codes | undefined; wanted: Uint8Array }[];

/** Returns the rows that pass all tests, in order. */
export function rowsThatPass(tests: readonly Test[], rows: number): Int32Array {
  const isOut = new Uint8Array(rows);
  for (const test of tests) {
    for (let row = 0; row < rows; row++) {
      let passes = 0;
      for (const { codes, wanted } of test) passes |= wanted[codes?.[row] ?? 0] ?? 0;
      if (passes === 0) isOut[row] = 1;
    }
  }
  const places = new Int32Array(rows);
  let count = 0;
  for (let row = 0; row < rows; row++) if (isOut[row] === 0) places[count++] = row;
  return places.subarray(0, count);
}

export function pickRows({ places, startsMs, codes }: PageRows, order: Int32Array): PageRows {
  const rows = order.length;
  return {
    rows,
    places: take(places, order, new Int32Array(rows)),
    startsMs: take(startsMs, order, new Float64Array(rows)),
    codes: new Map([...codes].map(([name, ofRows]) => [name, take(ofRows, order, new Int32Array(rows))])),
  };
}

/** Copies the numbers of some rows into `target`. */
export function take<N extends Numbers>(numbers: N, order: Int32Array, target: N): N {
  for (let at = 0; at < order.length; at++) target[at] = numbers[order[at] ?? 0] ?? 0;
  return target;
}

/** Returns the first row of a span, and the one after its last. */
export function boundsOf({ rows, startsMs }: PageRows, { startsAt, endsAt }: Span = {}): [number, number] {
  return [
    startsAt === undefined ? 0 : countBefore(startsMs, Date.parse(startsAt)),
    endsAt === undefined ? rows : countBefore(startsMs, Date.parse(endsAt)),
  ];
}

export function sliceRows({ places, startsMs, codes }: PageRows, begin: number, end: number): PageRows {
  return {
    rows: end - begin,
    places: places.subarray(begin, end),
    startsMs: startsMs.subarray(begin, end),
    codes: new Map([...codes].map(([name, ofRows]) => [name, ofRows.subarray(begin, end)])),
  };
}

function countBefore(startsMs: Float64Array, ms: number): number {
  let [low, high] = [0, startsMs.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((startsMs[middle] ?? 0) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}
