import type { Database } from "better-sqlite3";
import { UsageError } from "../errors.ts";
import type { Dimension } from "../rollup/dimensions.ts";
import {
  countKeys,
  iterateRollup,
  type RollupColumn,
  type RollupRow,
  rollupColumns,
} from "../rollup/read.ts";
import { type RollupQuery, rollupKeys } from "../rollup/sql.ts";
import type { ExportJob } from "./export.ts";
import { encodeTable } from "./format.ts";
import type { ManifestFile } from "./manifest.ts";

/** A file of figures, one row for each key of some dimensions together. */
export interface RollupTarget {
  kind: "rollup";
  dimensions: readonly Dimension[];
}

const MAX_FILLED_ROWS = 2_000_000;

/** Key of the line of totals. */
const TOTAL = "(total)";

/** Writes one rollup, with its line of totals where one is asked for. */
export async function writeRollup(job: ExportJob, { dimensions }: RollupTarget): Promise<ManifestFile[]> {
  const { scope, tally, raw, fill, total, format, reader } = job;
  const query: RollupQuery = {
    dimensions,
    rules: tally.rules,
    raw,
    fill,
    filter: scope.filter,
    span: scope.span,
    byPeriod: scope.grain !== undefined,
    previousSpan: scope.previousSpan,
  };
  if (fill) assertFillable(countKeys(reader.sqlite, query), scope.periods.length);
  const columns = rollupColumns(query);
  const counts = { rows: 0, sums: Object.fromEntries(additive(columns).map(({ name }) => [name, 0])) };
  const rows = counted(iterateRollup(reader.sqlite, query), columns, counts);
  const table = { columns, rows: total ? withTotal(rows, reader.sqlite, query) : rows };
  const written = await job.write(
    `${dimensions.join("-")}.${format.format}`,
    await encodeTable(table, format),
  );
  return [{ contents: dimensions.join(), ...written, ...counts, ...(total && { total_line: true }) }];
}

/** Days since the first call for each click would fill the memory before they fill the disk. */
function assertFillable(keys: number, periods: number): void {
  if (keys * periods <= MAX_FILLED_ROWS) return;
  throw new UsageError(
    `--fill would write ${keys * periods} rows: ${keys} keys in ${periods} periods; ${MAX_FILLED_ROWS} are the most`,
    { hint: "Take a shorter stretch, a coarser grain, or fewer dimensions." },
  );
}

/** Passes rows on, and adds them up on the way. */
function* counted(
  rows: Iterable<RollupRow>,
  columns: readonly RollupColumn[],
  counts: { rows: number; sums: Record<string, number> },
): Generator<RollupRow> {
  const places = additive(columns);
  for (const row of rows) {
    counts.rows++;
    for (const { name, index } of places) {
      counts.sums[name] = toThousandths((counts.sums[name] ?? 0) + Number(row[index]));
    }
    yield row;
  }
}

function additive(columns: readonly RollupColumn[]): { name: string; index: number }[] {
  return columns.flatMap(({ name, isAdditive }, index) => (isAdditive ? [{ name, index }] : []));
}

/** Adds the figures of all calls together: callers are counted once here, however many rows they are in. */
function* withTotal(rows: Iterable<RollupRow>, database: Database, query: RollupQuery): Generator<RollupRow> {
  yield* rows;
  const keys = rollupKeys(query).map((_, index) => (index === 0 ? TOTAL : null));
  for (const figures of iterateRollup(database, { ...query, dimensions: [], byPeriod: false, fill: false })) {
    yield [...keys, ...figures];
  }
}

/** Seconds may have milliseconds; what else an addition leaves behind the point is a rounding error. */
function toThousandths(value: number): number {
  return Math.round(value * 1000) / 1000;
}
