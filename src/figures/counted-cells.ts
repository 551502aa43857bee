import { type CallSource, Cells, type Side } from "./cells.ts";
import { Dictionary } from "./dictionary.ts";
import { keyColumns } from "./dimensions.ts";
import type { Units } from "./parts.ts";
import type { RollupQuery } from "./rollup-query.ts";
import type { SpendSource, Spent } from "./spent.ts";

export interface FoldSource extends CallSource {
  rules: Units;
  /** Undefined if the session has no spend. */
  spend?: SpendSource | undefined;
}

/** The calls and the spend of one side, by cell. */
export interface CountedSide {
  /** May end before the last cell: the side has none of the others. */
  calls: Float64Array;
  spent: ReadonlyMap<number, Spent>;
}

export interface CountedCells {
  cells: Cells;
  /** The current span, and the previous one if there is one. */
  sides: readonly CountedSide[];
}

/** Counts the calls of a rollup's cells; of a total, those of the rollup that it is the total of. */
export async function countCells(query: RollupQuery, source: FoldSource): Promise<CountedCells> {
  const cells = makeCells(query, source);
  const sides: CountedSide[] = [];
  for (const side of sidesOf(query)) {
    const parts = await source.groups({ ...side, cells, parts: ["calls"] });
    const { calls = new Float64Array() } = parts;
    sides.push({ calls, spent: spentOn(side, { query, source, cells }) });
  }
  return { cells, sides };
}

export function makeCells(query: RollupQuery, { dictionaryOf }: FoldSource): Cells {
  const { dimensions, totalOf, spend, offsets, periods } = query;
  const keys = keyColumns(spend && totalOf ? totalOf : dimensions, query);
  return new Cells(keys, { dictionaryOf, offsets, periods: periods && new Dictionary() });
}

export function sidesOf({ span = {}, periods, previous }: RollupQuery): Side[] {
  return [{ span, periods }, ...(previous ? [{ span: previous.span, periods: previous.periods }] : [])];
}

/** @throws Error if spend is asked for, and the session has none */
export function spentOn(
  side: Side,
  { query, source, cells }: { query: RollupQuery; source: FoldSource; cells: Cells },
): ReadonlyMap<number, Spent> {
  if (query.spend === undefined) return new Map();
  if (source.spend === undefined) throw new Error("The session has no spend");
  return source.spend(side, cells);
}

export function callsIn({ sides }: CountedCells, side: 0 | 1, cell: number): number {
  return sides[side]?.calls[cell] ?? 0;
}

/** Lists the cells that have calls or spend on any side; without keys and periods, the only one. */
export function presentCells({ cells, sides }: CountedCells): number[] {
  if (cells.isOne) return [0];
  const isPresent = (cell: number) =>
    sides.some(({ calls, spent }) => (calls[cell] ?? 0) > 0 || spent.has(cell));
  return Array.from({ length: cells.size }, (_, cell) => cell).filter(isPresent);
}
