import { asc, gt, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

/** Few, since a row may hold megabytes. */
export const BATCH_ROWS = 250;
/** Below every identifier, which are safe integers. */
const BEFORE_ALL = Number.MIN_SAFE_INTEGER - 1;

interface CallQuery<Row> {
  where(condition: SQL): CallQuery<Row>;
  orderBy(order: SQL): CallQuery<Row>;
  limit(rows: number): { prepare(): { all(values: { last: number }): Row[] } };
}

/**
 * Reads calls in batches, in the order of their ids. Between two batches the connection may write, and the write-ahead
 * log may shrink, which it cannot during one long read.
 *
 * @param id the column by which an index gives the rows in this order
 */
export function* eachBatch<Row extends { call_id: number }>(
  id: SQLiteColumn,
  query: CallQuery<Row>,
): Generator<Row[], void, void> {
  const read = query
    .where(gt(id, sql.placeholder("last")))
    .orderBy(asc(id))
    .limit(BATCH_ROWS)
    .prepare();
  for (let last: number | undefined = BEFORE_ALL; last !== undefined; ) {
    const batch: Row[] = read.all({ last });
    yield batch;
    last = batch.length < BATCH_ROWS ? undefined : batch.at(-1)?.call_id;
  }
}
