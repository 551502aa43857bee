import { hash } from "node:crypto";
import type { ExportJob, Lists, RollupOutlet } from "../../export/job.ts";
import type { Table, Value } from "../../export/table.ts";
import { keyColumns } from "../../figures/dimensions.ts";
import { measuresOf } from "../../figures/rollup-query.ts";
import { openCallerHash } from "../../warehouse/calls/caller-hash.ts";
import { comparableStretches, completeStretches, type ExportedScope } from "./comparable-periods.ts";
import { type ExportedRow, readExportedRollup } from "./exported-rollups.ts";

/** Rollups with more rows of complete periods are not recorded: nobody reads what changed in them. */
export const MAX_ROWS = 100_000;

export type WatchedRollup = ReturnType<typeof watchRollup>;

export interface WatchOptions
  extends Pick<ExportJob, "timeframe">,
    Pick<Lists, "reader" | "session" | "onNewKey"> {
  path: string;
  notCompared: string | undefined;
  /** Undefined if no period is complete, or none may be recorded. */
  scope: ExportedScope | undefined;
}

export function watchRollup(outlet: RollupOutlet, options: WatchOptions) {
  const { query, columns, contents } = outlet;
  const { path, notCompared, scope, timeframe, session } = options;
  const stored = readExportedRollup(options.reader, { path, contents });
  // Without a comparison no key is needed, and it may be impossible to make one.
  const question = notCompared === undefined ? questionOf(outlet, options) : "";
  const isOther = stored !== undefined && stored.question !== question;
  const refusal = notCompared ?? (isOther ? "the rollup's options changed" : undefined);
  const before = refusal === undefined ? stored : undefined;
  const firstFigure = (query.periods === undefined ? 0 : 1) + keyColumns(query.dimensions).length;
  const all = { ...query, figures: undefined };
  const empty = new Map(
    measuresOf(all, session.rules).map(({ name, isCount }) => [name, isCount ? 0 : null]),
  );
  // Also those that are blank now, because opening hours were removed.
  const additive = new Set(
    measuresOf(all, { ...session.rules, hours: {} }).flatMap(({ name, isAdditive }) =>
      isAdditive ? [name] : [],
    ),
  );
  return {
    ...outlet,
    path,
    question,
    scope,
    /** What the file held before; undefined if it cannot be compared. */
    before,
    refusal,
    /** Names of the figures, and their positions in a row. */
    figures: columns.flatMap(({ name, comparison }, index) =>
      index < firstFigure || comparison !== undefined
        ? []
        : [{ name, index, isAdditive: additive.has(name), empty: empty.get(name) ?? null }],
    ),
    comparable: before && scope ? comparableStretches(before, scope, timeframe) : [],
    complete: new Set((scope ? completeStretches(scope, timeframe) : []).map(({ period }) => period)),
    /** Whether calls could add periods: a complete period without a row was then reported as empty. */
    isOpen:
      scope !== undefined && query.periods !== undefined && !(timeframe.range.from && timeframe.range.to),
    /** Figures by period and key, all as JSON. */
    rows: new Map<string, ExportedRow>(),
    isTooLong: false,
  };
}

/** Returns a text for what a rollup asks, except its days: figures of the same question can be compared. */
function questionOf(
  { query, contents }: RollupOutlet,
  { timeframe, session, reader, onNewKey }: WatchOptions,
): string {
  const { exclude_callers, ...filter } = timeframe.filter;
  // A plain hash would reveal the numbers to a search.
  const sealCallers = (callers: readonly string[]) => {
    const { seal, newKey } = openCallerHash(reader.path);
    if (newKey !== undefined) onNewKey(newKey);
    return seal(hash("sha256", JSON.stringify(callers.toSorted())));
  };
  const entries = Object.entries(filter).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.toSorted() : value,
  ]);
  return JSON.stringify({
    contents,
    dimensions: query.dimensions,
    filter: Object.fromEntries(entries.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1))),
    ...(exclude_callers && { exclude_callers: sealCallers(exclude_callers) }),
    ...(query.spend && { spend: query.spend.currency ?? true }),
    ...(query.outcomes && { outcomes: query.outcomes.currency ?? true, revenue_by: query.outcomes.by }),
    grain: timeframe.grain ?? null,
    timezone: timeframe.timezone,
    duration_unit: session.rules.duration_unit,
  });
}

export function* keepRows(watched: WatchedRollup, rows: Table["rows"]): Generator<readonly Value[]> {
  const { query, figures, complete, comparable } = watched;
  const first = query.periods === undefined ? 0 : 1;
  const keys = keyColumns(query.dimensions).length;
  const periods = new Set([...complete, ...comparable.map(({ period }) => period)]);
  const keep = (row: readonly Value[]) => {
    const period = first === 0 ? "" : String(row[0]);
    if (!periods.has(period)) return;
    const values = figures.map(({ index }) => row[index] ?? null);
    // An empty row fills a gap, or has figures only in the compared span.
    if (figures.every(({ empty }, index) => values[index] === empty)) return;
    const key = JSON.stringify(row.slice(first, first + keys));
    watched.rows.set(toCell(period, key), [period, key, JSON.stringify(values)]);
    watched.isTooLong = watched.rows.size > MAX_ROWS;
    if (watched.isTooLong) watched.rows.clear();
  };
  for (const row of rows) {
    if (!watched.isTooLong) keep(row);
    yield row;
  }
}

export const toCell = (period: string, key: string) => `${period}\n${key}`;
