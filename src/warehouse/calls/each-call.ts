import { asc, gt, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

/** Small, because a row may hold megabytes. */
export const BATCH_ROWS = 250;
/** Below every id; ids are safe integers. */
const BEFORE_ALL = Number.MIN_SAFE_INTEGER - 1;

interface CallQuery<Row> {
  where(condition: SQL): CallQuery<Row>;
  orderBy(order: SQL): CallQuery<Row>;
  limit(rows: number): { prepare(): { all(values: { last: number }): Row[] } };
}

/**
 * Reads calls in batches, by id. Between batches the connection may write, and the write-ahead log may shrink, which
 * it cannot during one long read.
 * @param id a column with an index that yields this order
 */
export function eachBatch<Row extends { call_id: number }>(
  id: SQLiteColumn,
  query: CallQuery<Row>,
): Generator<Row[], void, void> {
  const read = query
    .where(gt(id, sql.placeholder("last")))
    .orderBy(asc(id))
    .limit(BATCH_ROWS)
    .prepare();
  return inBatches((last) => read.all({ last }));
}

/** @param read the next {@link BATCH_ROWS} calls after an id */
export function* inBatches<Row extends { call_id: number }>(
  read: (last: number) => Row[],
): Generator<Row[], void, void> {
  for (let last: number | undefined = BEFORE_ALL; last !== undefined; ) {
    const batch = read(last);
    yield batch;
    last = batch.length < BATCH_ROWS ? undefined : batch.at(-1)?.call_id;
  }
}
