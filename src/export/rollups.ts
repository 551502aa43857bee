import type { Period } from "../calendar/periods.ts";
import { UsageError } from "../errors.ts";
import { type Dimension, isLocal, keyColumns } from "../rollup/dimensions.ts";
import type { FigureSession, Row } from "../rollup/figure-session.ts";
import { isCompared, metrics } from "../rollup/metrics.ts";
import { OTHER, TOTAL } from "../rollup/own-words.ts";
import type { RollupColumn, RollupQuery } from "../rollup/rollup-query.ts";
import type { ExportFormat, FigureJob } from "./figure-job.ts";
import type { TableEntry } from "./manifest.ts";
import type { NamedTable } from "./named-table.ts";
import type { Table, Value } from "./table.ts";

/** A file of figures, one row for each key of some dimensions together. */
export interface RollupTarget {
  kind: "rollup";
  dimensions: readonly Dimension[];
}

/** Name of the file when tables are sheets. */
export const WORKBOOK = "calltally.xlsx";

const MAX_FILLED_ROWS = 2_000_000;

/** Returns one rollup, with its line of totals where one is asked for. */
export function rollupTable(job: FigureJob, { dimensions }: RollupTarget): NamedTable {
  const { scope, raw, fill, top, minCell, format, session, spend } = job;
  const { span, grain, periods, previousSpan, previousPeriods } = scope;
  const total = job.total && (dimensions.length > 0 || grain !== undefined); // one row of everything is its own total
  const query: RollupQuery = {
    dimensions,
    raw,
    fill,
    top,
    minCell,
    // When a row's first and last call started is what a single call was.
    figures: minCell === undefined ? undefined : timelessFigures(session),
    offsets: isLocal(dimensions) ? session.readOffsets(scope.timezone) : undefined,
    span,
    spend: spend?.form,
    periods: grain && periods,
    previous: previousSpan && { span: previousSpan, periods: grain && previousPeriods },
  };
  const keys = fill || top !== undefined ? session.countKeys(query) : { shown: 0, folded: 0 };
  if (fill) assertFillable(keys.shown, periods.length);
  const { columns, rows } = session.rollup(query);
  const [name, contents] = [dimensions.join("-"), dimensions.join()];
  const file = format.format === "xlsx" ? WORKBOOK : `${name}.${format.format}`;
  const entry: TableEntry & { sums: Record<string, number> } = {
    contents,
    rows: 0,
    sums: Object.fromEntries(additive(columns).map(({ name }) => [name, 0])),
    ...(total && ({ total_line: true } as const)),
    ...(top !== undefined && { top, keys_in_other: keys.folded }),
    ...(minCell !== undefined && {
      min_cell: minCell,
      rows_in_other: session.countSmallCells({ ...query, minCell }),
      calls_in_other: 0,
      blank_rows: 0,
    }),
  };
  const watched = job.givenOut?.watch({ file, contents, query, columns }, rows) ?? rows;
  const shown = minCell === undefined ? watched : countOther(watched, columns, entry);
  const counted = count(shown, columns, entry);
  const totals = total ? withTotal(counted, session, query) : counted;
  const table = { columns, rows: totals };
  return {
    ...(grain && showsDates(format) ? withPeriodStart(table, periods) : table),
    name,
    audience: "shared",
    entry,
  };
}

/** Whether its readers know dates, and `2026-W43` and `2026-10` are none to them. */
function showsDates(format: ExportFormat): boolean {
  return format.format === "xlsx" || format.format === "parquet" || format.profile === "excel";
}

/** Puts the first day of each period beside it; none beside calls that are in no period, and totals. */
function withPeriodStart({ columns: [period, ...columns], rows }: Table, periods: readonly Period[]): Table {
  const firstDays = new Map<Value, string>(periods.map(({ period, firstDay }) => [period, firstDay]));
  return {
    columns: [...(period ? [period] : []), { name: "period_start", type: "date", isKey: true }, ...columns],
    rows: Iterator.from(rows).map(([period = null, ...cells]) => [
      period,
      firstDays.get(period) ?? null,
      ...cells,
    ]),
  };
}

/** Days since the first call for each click would fill the memory before they fill the disk. */
function assertFillable(keys: number, periods: number): void {
  if (keys * periods <= MAX_FILLED_ROWS) return;
  throw new UsageError(
    `--fill would write ${keys * periods} rows: ${keys} keys in ${periods} periods; ${MAX_FILLED_ROWS} are the most`,
    { hint: "Use a shorter period, a coarser grain, or fewer dimensions." },
  );
}

function timelessFigures({ rules }: FigureSession): string[] {
  return metrics(rules)
    .filter(isCompared)
    .map(({ name }) => name);
}

/** Passes rows on, and counts those without figures and the calls of rows `(other)` on the way. */
function* countOther(
  rows: Iterable<Row>,
  columns: readonly RollupColumn[],
  counts: Pick<TableEntry, "calls_in_other" | "blank_rows">,
): Generator<Row> {
  const calls = columns.findIndex(({ name }) => name === "calls");
  for (const row of rows) {
    if (row[calls] === null) counts.blank_rows = (counts.blank_rows ?? 0) + 1;
    else if (row.slice(0, calls).includes(OTHER)) {
      counts.calls_in_other = (counts.calls_in_other ?? 0) + Number(row[calls]);
    }
    yield row;
  }
}

/** Passes rows on, and adds them up on the way. */
function* count(
  rows: Iterable<Row>,
  columns: readonly RollupColumn[],
  counts: { rows: number; sums: Record<string, number> },
): Generator<Row> {
  const indexes = additive(columns);
  for (const row of rows) {
    counts.rows++;
    for (const { name, index, decimals } of indexes) {
      counts.sums[name] = roundTo(decimals, (counts.sums[name] ?? 0) + Number(row[index]));
    }
    yield row;
  }
}

function additive(columns: readonly RollupColumn[]): { name: string; index: number; decimals: number }[] {
  return columns.flatMap(({ name, isAdditive, decimals = 0 }, index) =>
    isAdditive ? [{ name, index, decimals }] : [],
  );
}

/** Adds the line of totals. */
function* withTotal(rows: Iterable<Row>, session: FigureSession, query: RollupQuery): Generator<Row> {
  yield* rows;
  const keys = keyColumns(query.dimensions).length + (query.periods ? 1 : 0);
  for (const figures of session.total(query).rows) {
    yield [TOTAL, ...Array.from({ length: keys - 1 }, () => null), ...figures];
  }
}

/** Seconds may have milliseconds, and amounts cents; what else an addition leaves behind the point is a rounding error. */
function roundTo(decimals: number, value: number): number {
  return Math.round(value * 10 ** decimals) / 10 ** decimals;
}
