import { Command } from "@commander-js/extra-typings";
import { CalltallyError, EXIT, type ExitCode, UsageError } from "../../base/errors.ts";
import { formatQuantity } from "../../base/text/quantity-text.ts";
import { toJsonArray } from "../../export/formats/chunks.ts";
import { toDelimited } from "../../export/formats/delimited.ts";
import { readStatements } from "../../export/statements/read-statements.ts";
import { openReader } from "../../warehouse/file/open.ts";
import { type QueryResult, runQuery, type SqlValue } from "../../warehouse/run-query.ts";
import type { Reader } from "../../warehouse/warehouse.ts";
import { settingsOf } from "../chosen-accounts.ts";
import { type Context, OPTION } from "../context.ts";
import { action } from "../frame.ts";
import { choice, wholeNumber } from "../parsers.ts";
import { readText } from "../read-text.ts";
import { besideData } from "../terminal/statement-lines.ts";
import { notesOnOrigin } from "../warehouse-notes.ts";
import { isWatchedChild, runAgain } from "../watched-child.ts";

const QUERY_FORMATS = ["table", "csv", "json"] as const;
type QueryFormat = (typeof QUERY_FORMATS)[number];
const DEFAULT_SECONDS = 60;
const MAX_SECONDS = 86_400;
/** A table is laid out after all its rows were read. */
const DEFAULT_TABLE_ROWS = 10_000;

export const command = (context: Context) =>
  new Command("query")
    .description(
      "Runs one read-only SQL statement (SELECT, WITH, VALUES, EXPLAIN).\n" +
        "`calltally schema` describes the tables and views.",
    )
    .argument("<sql>", "the statement; - reads it from standard input")
    .addOption(
      choice(
        "--format <format>",
        QUERY_FORMATS,
        "csv and json keep every value as stored, BLOBs in hex",
      ).default("table" as const),
    )
    .option(
      "--max-rows <rows>",
      `stop after this many rows, with exit code 3 if there are more (table: ${DEFAULT_TABLE_ROWS}, else no limit)`,
      wholeNumber(1),
    )
    .option(
      "--timeout <seconds>",
      "time limit for the query and its output",
      wholeNumber(1, MAX_SECONDS),
      DEFAULT_SECONDS,
    )
    .option(...OPTION.database)
    .addHelpText(
      "after",
      '\nExample:\n  $ calltally query "SELECT * FROM rollup_campaign LIMIT 5"\n' +
        "  $ calltally query --format csv - < report.sql > report.csv",
    )
    .action(
      action(context, async (sql, { format, maxRows, timeout }) => {
        const settings = settingsOf(context);
        if (!(await isWatchedChild(context.env))) return { exit: await runInChild(context, timeout) };
        const most = maxRows ?? (format === "table" ? DEFAULT_TABLE_ROWS : Number.POSITIVE_INFINITY);
        const statement = sql === "-" ? await readSql(process.stdin) : sql;
        using reader = openReader(settings.database);
        const to = { format, maxRows: most, write: context.write };
        const { isComplete } = await writeQueryResult(reader, statement, to);
        const { notes, ...about } = besideData(readStatements(reader, settings));
        notes.push(...notesOnOrigin(settings));
        if (isComplete) return { notes, ...about };
        notes.push(
          `Stopped after ${formatQuantity(most, "row")}; there are more.`,
          "Raise --max-rows, or narrow the SQL; --format csv has no limit.",
        );
        return { notes, ...about, exit: EXIT.unverified };
      }),
    );

const MAX_SQL_BYTES = 1_000_000;

/**
 * The child reads, writes and reports errors itself.
 * @returns its exit code
 * @throws InterruptedError, and CalltallyError (exit 3) after the deadline, when the child has been killed
 */
async function runInChild(context: Context, timeoutSeconds: number): Promise<ExitCode> {
  const outcome = await runAgain(context, { deadlineMs: timeoutSeconds * 1000, stdio: "inherit" });
  const exitCode = Object.values(EXIT).find((known) => known === outcome.exitCode);
  if (exitCode !== undefined) return exitCode;
  if (outcome.isLate) {
    throw new CalltallyError(
      EXIT.unverified,
      `The query was stopped after ${formatQuantity(timeoutSeconds, "second")}`,
      {
        hint: "Its output is incomplete. Allow more time with --timeout, or narrow the query: use WHERE or the rollup views.",
      },
    );
  }
  const end = outcome.signal ?? `code ${outcome.exitCode}`;
  throw new CalltallyError(EXIT.failed, `The query's process ended by ${end}`, {
    hint: "It may have run out of memory: ask for fewer or shorter values.",
  });
}

async function readSql(input: NodeJS.ReadableStream): Promise<string> {
  const sql = await readText(input, MAX_SQL_BYTES);
  if (sql !== undefined) return sql;
  throw new UsageError(`The SQL on standard input is longer than ${MAX_SQL_BYTES} bytes`, {
    hint: "Shorten it, or split it into several queries.",
  });
}

/** Returns false if rows were left out because of `maxRows`. */
async function writeQueryResult(
  reader: Reader,
  sql: string,
  { format, maxRows, write }: { format: QueryFormat; maxRows: number; write: Context["write"] },
): Promise<{ isComplete: boolean }> {
  const { columns, rows } = runQuery(reader, sql);
  let isComplete = true;
  const first = firstRows(rows, maxRows, () => {
    isComplete = false;
  });
  for (const chunk of await encode({ columns, rows: first }, format)) {
    await write(Buffer.from(chunk));
  }
  return { isComplete };
}

async function encode(result: QueryResult, format: QueryFormat): Promise<Iterable<string>> {
  switch (format) {
    case "csv":
      return toQueryCsv(result);
    case "json":
      return toQueryJson(result);
    case "table": {
      const { layOutTable } = await import("../terminal/query-table.ts");
      return [`${layOutTable(result.columns, [...result.rows], process.stdout.columns)}\n`];
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
  yield* toJsonArray(rows, toObject);
}

function toJsonValue(value: SqlValue): string {
  if (typeof value === "bigint") return String(value);
  if (Buffer.isBuffer(value)) return JSON.stringify(value.toString("hex"));
  if (typeof value === "number" && !Number.isFinite(value)) return value > 0 ? "1e999" : "-1e999";
  return JSON.stringify(value);
}
