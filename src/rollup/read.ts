import type { Database } from "better-sqlite3";
import { keyColumns } from "./dimensions.ts";
import { metrics } from "./metrics.ts";
import { FIRST_CALLS_SQL, type RollupQuery, rollupSql } from "./sql.ts";

/** A column of a rollup: a key, or a metric with its decimals. */
export interface RollupColumn {
  name: string;
  isKey: boolean;
  decimals: number | undefined;
}

/** Values in the order of the columns; null where there is none. */
export type RollupRow = (string | number | null)[];

/** Returns the columns of a rollup in their order. */
export function rollupColumns({ dimension, rules, raw = false }: RollupQuery): RollupColumn[] {
  return [
    ...keyColumns(dimension, { raw }).map(({ name }) => ({ name, isKey: true, decimals: undefined })),
    ...metrics(rules).map(({ name, decimals }) => ({ name, isKey: false, decimals })),
  ];
}

/** Finds each caller's first call, once for all the rollups that this connection then reads. */
export function prepareRollups(database: Database): void {
  database.exec(`CREATE TEMP TABLE IF NOT EXISTS first_calls (call_id INTEGER PRIMARY KEY);
    DELETE FROM temp.first_calls;
    INSERT INTO temp.first_calls ${FIRST_CALLS_SQL}`);
}

/** Reads a rollup row by row, after {@link prepareRollups}. */
export function* iterateRollup(database: Database, query: RollupQuery): Generator<RollupRow, void, void> {
  yield* database.prepare<[], RollupRow>(rollupSql(query)).raw().iterate();
}
