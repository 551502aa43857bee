import type { Earnings, OutcomeSource } from "../amounts/earned.ts";
import type { SpendSource, Spent } from "../amounts/spent.ts";
import { Dictionary } from "../dictionary.ts";
import { keyColumns } from "../dimensions.ts";
import type { Units } from "../parts.ts";
import type { RollupQuery } from "../rollup-query.ts";
import { type CallSource, Cells, type Side } from "./cells.ts";

export interface FoldSource extends CallSource {
  rules: Units;
  /** Undefined if the session has no spend. */
  spend?: SpendSource | undefined;
  /** Undefined if the session has no outcomes. */
  outcomes?: OutcomeSource | undefined;
}

/** The calls, the spend and the outcomes of one side, by cell. */
export interface CountedSide {
  /** May end before the last cell: the side has none of the others. */
  calls: Float64Array;
  spent: ReadonlyMap<number, Spent>;
  earned: ReadonlyMap<number, Earnings>;
}

export interface CountedCells {
  cells: Cells;
  /** The current span, and the compared ones. */
  sides: readonly CountedSide[];
}

/** Counts the calls of a rollup's cells; of a total, those of the rollup that it is the total of. */
export async function countCells(query: RollupQuery, source: FoldSource): Promise<CountedCells> {
  const cells = makeCells(query, source);
  const sides: CountedSide[] = [];
  for (const side of sidesOf(query)) {
    const parts = await source.groups({ ...side, cells, parts: ["calls"] });
    const { calls = new Float64Array() } = parts;
    sides.push({
      calls,
      spent: spentOn(side, { query, source, cells }),
      earned: await earnedOn(side, { query, source, cells }),
    });
  }
  return { cells, sides };
}

export function makeCells(query: RollupQuery, { dictionaryOf }: FoldSource): Cells {
  const { dimensions, totalOf, spend, offsets, periods } = query;
  const keys = keyColumns(spend && totalOf ? totalOf : dimensions, query);
  return new Cells(keys, { dictionaryOf, offsets, periods: periods && new Dictionary() });
}

export function sidesOf({ span = {}, periods, compared = [] }: RollupQuery): Side[] {
  return [{ span, periods }, ...compared.map((side) => ({ span: side.span, periods: side.periods }))];
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

/** @throws Error if outcomes are asked for, and the session has none */
export async function earnedOn(
  side: Side,
  { query, source, cells }: { query: RollupQuery; source: FoldSource; cells: Cells },
): Promise<ReadonlyMap<number, Earnings>> {
  if (query.outcomes === undefined) return new Map();
  if (source.outcomes === undefined) throw new Error("The session has no outcomes");
  return source.outcomes(side, cells);
}

export function callsIn({ sides }: CountedCells, side: 0 | 1, cell: number): number {
  return sides[side]?.calls[cell] ?? 0;
}

/** Lists the cells that have calls, spend or outcomes on any side; without keys and periods, the only one. */
export function presentCells({ cells, sides }: CountedCells): number[] {
  if (cells.isOne) return [0];
  const isPresent = (cell: number) =>
    sides.some(({ calls, spent, earned }) => (calls[cell] ?? 0) > 0 || spent.has(cell) || earned.has(cell));
  return Array.from({ length: cells.size }, (_, cell) => cell).filter(isPresent);
}
