import type { Job, Lists, RollupOutlet } from "../export/job.ts";
import type { FigureValue } from "../export/restatement.ts";
import type { Table, Value } from "../export/table.ts";
import { keyColumns } from "../rollup/dimensions.ts";
import { metrics } from "../rollup/metrics.ts";
import {
  comparableStretches,
  completeStretches,
  type GivenScope,
  givenScopeOf,
  type Stretch,
} from "./comparable-periods.ts";
import type { ExportedRollup, RollupPlace } from "./exported-rollups.ts";
import type { ExportedRow } from "./exported-rows.ts";

/** More rows of complete periods than these are not remembered: nobody reads what changed in them. */
export const MAX_ROWS = 100_000;

/** What the file of a rollup held before. */
export interface RecalledRollup extends RollupPlace {
  question: string;
  /** What the file held before; undefined if nothing can be compared with it. */
  before: ExportedRollup | undefined;
  /** Why it is not compared. */
  refusal: string | undefined;
}

/** A rollup whose rows are kept while they are written, and what its file held before. */
export interface WatchedRollup extends RollupOutlet, RecalledRollup {
  /** Names of the figures, and their positions in a row. */
  figures: readonly { name: string; index: number; isAdditive: boolean; empty: FigureValue }[];
  comparable: readonly Stretch[];
  complete: ReadonlySet<string>;
  /** Whether calls could have added periods: a complete period without a row was then reported as empty. */
  isOpen: boolean;
  /** Figures by period and key; all of them JSON. */
  rows: Map<string, ExportedRow>;
  isTooLong: boolean;
}

/** @param given undefined if no period is complete, or none may be remembered */
export function watchRollup(
  outlet: RollupOutlet,
  recalled: RecalledRollup,
  given: GivenScope | undefined,
  { timeframe, session }: Pick<Job, "timeframe"> & Pick<Lists, "session">,
): WatchedRollup {
  const { query, columns } = outlet;
  const { before } = recalled;
  const firstFigure = (query.periods === undefined ? 0 : 1) + keyColumns(query.dimensions).length;
  const empty = new Map(metrics(session.rules).map(({ name, isCount }) => [name, isCount ? 0 : null]));
  return {
    ...outlet,
    ...recalled,
    figures: columns.flatMap(({ name, comparison, isAdditive = false }, index) =>
      index < firstFigure || comparison !== undefined
        ? []
        : [{ name, index, isAdditive, empty: empty.get(name) ?? null }],
    ),
    comparable: before && given ? comparableStretches(givenScopeOf(before), given, timeframe) : [],
    complete: new Set((given ? completeStretches(given, timeframe) : []).map(({ period }) => period)),
    isOpen:
      given !== undefined && query.periods !== undefined && !(timeframe.range.from && timeframe.range.to),
    rows: new Map(),
    isTooLong: false,
  };
}

/** Passes rows on, and keeps those of complete periods. */
export function* keepRows(watched: WatchedRollup, rows: Table["rows"]): Generator<readonly Value[]> {
  const { query, figures, complete, comparable } = watched;
  const first = query.periods === undefined ? 0 : 1;
  const keys = keyColumns(query.dimensions).length;
  const kept = new Set([...complete, ...comparable.map(({ period }) => period)]);
  for (const row of rows) {
    const period = first === 0 ? "" : String(row[0]);
    const values = figures.map(({ index }) => row[index] ?? null);
    // An empty row fills a gap, or has figures only in the stretch compared with.
    const isEmpty = figures.every(({ empty }, index) => values[index] === empty);
    if (kept.has(period) && !watched.isTooLong && !isEmpty) {
      const key = JSON.stringify(row.slice(first, first + keys));
      watched.rows.set(toCell(period, key), [period, key, JSON.stringify(values)]);
      watched.isTooLong = watched.rows.size > MAX_ROWS;
    }
    yield row;
  }
}

/** Returns the key of a row in {@link WatchedRollup.rows}. */
export const toCell = (period: string, key: string) => `${period}\n${key}`;
