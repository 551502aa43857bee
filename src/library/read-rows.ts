import { UnmatchedError, UsageError } from "../base/errors.ts";
import { openReader } from "../warehouse/file/open.ts";
import { nameFile } from "../warehouse/file/sqlite-errors.ts";
import { type QueryResult, runQuery, type SqlValue } from "../warehouse/run-query.ts";
import type { Reader } from "../warehouse/warehouse.ts";
import type { Query } from "./parse-options.ts";

/** Adds the file to an error of SQLite, and prefers advice to flags that the library lacks. */
export function toOwn(error: unknown, path: string): unknown {
  if (!(error instanceof UnmatchedError)) return nameFile(error, path);
  const [{ filter, advice = "The rollup by this dimension has the existing ones." } = { filter: "" }] =
    error.unmatched;
  return new UsageError(error.message, { hint: advice, option: `filter.${filter}` });
}

/** Rows in the order of the columns; few, so that the thread that receives them does not wait. */
export interface Batch<Cell> {
  columns: readonly string[];
  rows: readonly (readonly Cell[])[];
}

const ROWS_AT_ONCE = 200;
/** Texts and BLOBs may be long. */
const LENGTH_AT_ONCE = 500_000;

export function* inBatches<Cell>(
  columns: readonly string[],
  rows: Iterable<readonly Cell[]>,
): Generator<Batch<Cell>, void, void> {
  let batch: (readonly Cell[])[] = [];
  let length = 0;
  for (const row of rows) {
    batch.push(row);
    for (const cell of row) if (typeof cell === "string" || Buffer.isBuffer(cell)) length += cell.length;
    if (batch.length < ROWS_AT_ONCE && length < LENGTH_AT_ONCE) continue;
    yield { columns, rows: batch };
    [batch, length] = [[], 0];
  }
  if (batch.length > 0) yield { columns, rows: batch };
}

/** Reads by a connection of its own, since its rows may be read for long. */
export async function* readRows(
  path: string,
  read: (reader: Reader) => AsyncGenerator<Batch<SqlValue>, void, void>,
) {
  try {
    using reader = openReader(path);
    yield* read(reader);
  } catch (error) {
    throw toOwn(error, path);
  }
}

export function* rowsOf({ columns, rows }: QueryResult): Generator<Batch<SqlValue>, void, void> {
  yield* inBatches(
    columns,
    Iterator.from(rows).map((row) => row.map(toPlain)),
  );
}

function toPlain(value: SqlValue): SqlValue {
  if (typeof value !== "bigint") return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

export function readQuery(path: string, { sql, parameters }: Query) {
  return readRows(path, async function* (reader) {
    yield* rowsOf(runQuery(reader, sql, parameters));
  });
}
