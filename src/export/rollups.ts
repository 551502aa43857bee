import type { Period } from "../calendar/periods.ts";
import { UsageError } from "../errors.ts";
import { type Dimension, isLocal, keyColumns } from "../rollup/dimensions.ts";
import { TOTAL } from "../rollup/own-words.ts";
import type { RollupColumn, RollupQuery } from "../rollup/rollup-query.ts";
import type { RollupSession, Row } from "../rollup/session.ts";
import type { NamedTable } from "./named-table.ts";
import type { Table, Value } from "./table.ts";
import type { ExportFormat, ExportJob } from "./write-export.ts";

/** A file of figures, one row for each key of some dimensions together. */
export interface RollupTarget {
  kind: "rollup";
  dimensions: readonly Dimension[];
}

/** Name of the file when tables are sheets. */
export const WORKBOOK = "calltally.xlsx";

const MAX_FILLED_ROWS = 2_000_000;

/** Returns one rollup, with its line of totals where one is asked for. */
export function rollupTable(job: ExportJob, { dimensions }: RollupTarget): NamedTable {
  const { scope, raw, fill, total, top, format, session, spend } = job;
  const { span, grain, periods, previousSpan, previousPeriods } = scope;
  const query: RollupQuery = {
    dimensions,
    raw,
    fill,
    top,
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
  const entry = {
    contents,
    rows: 0,
    sums: Object.fromEntries(additive(columns).map(({ name }) => [name, 0])),
    ...(total && ({ total_line: true } as const)),
    ...(top !== undefined && { top, keys_in_other: keys.folded }),
  };
  const watched = job.givenOut?.watch({ file, contents, query, columns }, rows) ?? rows;
  const counted = count(watched, columns, entry);
  const table = { columns, rows: total ? withTotal(counted, session, query) : counted };
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
    columns: [...(period ? [period] : []), { name: "period_start", type: "date" }, ...columns],
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

/** Adds the figures of all calls together: callers are counted once here, however many rows they are in. */
function* withTotal(rows: Iterable<Row>, session: RollupSession, query: RollupQuery): Generator<Row> {
  yield* rows;
  const { dimensions, periods, span, previous, spend } = query;
  const keys = keyColumns(dimensions).length + (periods ? 1 : 0);
  const total = { dimensions: [], span, spend, previous: previous && { span: previous.span } };
  for (const figures of session.rollup(total).rows) {
    yield [TOTAL, ...Array.from({ length: keys - 1 }, () => null), ...figures];
  }
}

/** Seconds may have milliseconds, and amounts cents; what else an addition leaves behind the point is a rounding error. */
function roundTo(decimals: number, value: number): number {
  return Math.round(value * 10 ** decimals) / 10 ** decimals;
}
