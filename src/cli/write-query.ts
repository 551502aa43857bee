import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { UsageError } from "../base/errors.ts";
import { inChunks } from "../export/formats/chunks.ts";
import { toDelimited } from "../export/formats/delimited.ts";
import { openWarehouseReader } from "../warehouse/open.ts";
import { type QueryResult, runQuery, type SqlValue } from "../warehouse/run-query.ts";

export const QUERY_FORMATS = ["table", "csv", "json"] as const;
type QueryFormat = (typeof QUERY_FORMATS)[number];

/** How often to check whether the parent process still exists. */
const WATCH_MS = 250;

interface QueryOptions {
  database: string;
  sql: string;
  format: QueryFormat;
  /** @default no limit */
  maxRows?: number | undefined;
  /** Columns of the terminal; undefined for other outputs. */
  width: number | undefined;
  writeChunk: (chunk: Buffer) => Promise<void>;
}

/** Returns false if rows were left out because of `maxRows`. */
export async function writeQueryResult(options: QueryOptions): Promise<{ isComplete: boolean }> {
  const { database, sql, format, maxRows = Number.POSITIVE_INFINITY, width, writeChunk } = options;
  using reader = openWarehouseReader(database);
  const { columns, rows } = runQuery(reader, sql);
  let isComplete = true;
  const first = firstRows(rows, maxRows, () => {
    isComplete = false;
  });
  for (const chunk of await encode({ columns, rows: first }, format, width)) {
    await writeChunk(Buffer.from(chunk));
  }
  return { isComplete };
}

/** Kills this process, even during a statement, when its parent was killed and cannot do so. */
export async function watchParent(parent: number): Promise<void> {
  const watch = `setInterval(() => process.ppid === ${parent} || process.kill(process.pid, "SIGKILL"), ${WATCH_MS})`;
  const watcher = new Worker(watch, { eval: true });
  await once(watcher, "online");
  watcher.unref();
}

async function encode(
  result: QueryResult,
  format: QueryFormat,
  width: number | undefined,
): Promise<Iterable<string>> {
  switch (format) {
    case "csv":
      return toQueryCsv(result);
    case "json":
      return toQueryJson(result);
    case "table": {
      const { layOutTable } = await import("./terminal/query-table.ts");
      return [`${layOutTable(result.columns, [...result.rows], width)}\n`];
    }
  }
}

/** Unchanged values, for machines: `export` writes files for spreadsheets. */
function toQueryCsv({ columns, rows }: QueryResult): Iterable<string> {
  return toDelimited(
    {
      columns: columns.map((name) => ({ name, type: "text" })),
      rows: Iterator.from(rows).map((row) => row.map(toCsvValue)),
    },
    { delimiter: ",", profile: "machine" },
  );
}

function toCsvValue(value: SqlValue): string | null {
  if (value === null) return null;
  return Buffer.isBuffer(value) ? value.toString("hex") : String(value);
}

function* firstRows<Row>(rows: Iterable<Row>, most: number, onMore: () => void): Generator<Row> {
  let count = 0;
  for (const row of rows) {
    if (count === most) return onMore();
    count += 1;
    yield row;
  }
}

/**
 * Yields a query result as a JSON array of objects, one per line, in constant memory. Integers have all their digits,
 * BLOBs are hexadecimal, infinities `1e999`.
 * @throws UsageError if two columns have the same name
 */
function* toQueryJson({ columns, rows }: QueryResult): Generator<string> {
  const twice = columns.find((name, index) => columns.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new UsageError(`Cannot write JSON: two columns are named ${twice}`, {
      hint: `Give one of them another name: SELECT … AS other_${twice.replace(/\W+/g, "_")}`,
    });
  }
  const names = columns.map((name) => JSON.stringify(name));
  const toObject = (row: readonly SqlValue[]) =>
    `{${row.map((value, index) => `${names[index]}:${toJsonValue(value)}`).join(",")}}`;
  let opening = "[\n";
  for (const chunk of inChunks(rows)) {
    yield opening + chunk.map(toObject).join(",\n");
    opening = ",\n";
  }
  yield opening === "[\n" ? "[]\n" : "\n]\n";
}

function toJsonValue(value: SqlValue): string {
  if (typeof value === "bigint") return String(value);
  if (Buffer.isBuffer(value)) return JSON.stringify(value.toString("hex"));
  if (typeof value === "number" && !Number.isFinite(value)) return value > 0 ? "1e999" : "-1e999";
  return JSON.stringify(value);
}
