import { Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { CalltallyError, EXIT, type ExitCode, UsageError } from "../errors.ts";
import { runChild } from "../schedule/child-process.ts";
import { type Context, OPTION, QUERY_PARENT, settingsOf } from "./context.ts";
import { oneOf } from "./suggest.ts";
import { formatQuantity } from "./terminal-text.ts";

const FORMATS = ["table", "csv", "json"] as const;
export type QueryFormat = (typeof FORMATS)[number];

const DEFAULT_SECONDS = 60;
const MOST_SECONDS = 86_400;
/** A table is laid out when all its rows are there. */
const DEFAULT_TABLE_ROWS = 10_000;
const MOST_SQL_BYTES = 1_000_000;

export function queryCommand(context: Context, exit: (code: ExitCode) => void) {
  return new Command("query")
    .description(
      "Runs one read-only SQL statement (SELECT, WITH, VALUES, EXPLAIN).\n" +
        "`calltally schema` describes the tables and views.",
    )
    .argument("<sql>", "the statement; - reads it from standard input")
    .addOption(
      new Option("--format <format>", "csv and json keep every value as stored, BLOBs in hex")
        .choices(FORMATS)
        .argParser(oneOf(FORMATS))
        .default("table" as const),
    )
    .option(
      "--max-rows <rows>",
      `stop after this many rows, with exit code 3 if there are more (table: ${DEFAULT_TABLE_ROWS}, else no limit)`,
      wholeNumber(Number.MAX_SAFE_INTEGER),
    )
    .option(
      "--timeout <seconds>",
      "time limit for the query and its output",
      wholeNumber(MOST_SECONDS),
      DEFAULT_SECONDS,
    )
    .option(...OPTION.database)
    .addHelpText(
      "after",
      '\nExample:\n  $ calltally query "SELECT * FROM rollup_campaign LIMIT 5"\n' +
        "  $ calltally query --format csv - < report.sql > report.csv",
    )
    .action(async (sql, { format, maxRows, timeout, ...flags }) => {
      const settings = settingsOf(context, flags);
      const { database } = settings;
      const parent = context.env[QUERY_PARENT];
      if (parent === undefined) return exit(await runInChild(context, timeout));
      const { noteOtherRules } = await import("./rules-note.ts");
      const { noteOtherOrigin } = await import("./origin-note.ts");
      const { watchParent, writeQueryResult } = await import("./write-query.ts");
      await watchParent(Number(parent));
      const most = maxRows ?? (format === "table" ? DEFAULT_TABLE_ROWS : undefined);
      const { isComplete } = await writeQueryResult({
        database,
        sql: sql === "-" ? await readSql(process.stdin) : sql,
        format,
        maxRows: most,
        width: process.stdout.columns,
        writeChunk: context.write,
      });
      noteOtherRules(context, settings);
      noteOtherOrigin(context, settings);
      if (isComplete || most === undefined) return;
      context.note(`Stopped after ${formatQuantity(most, "row")}; there are more.`);
      context.note("Raise --max-rows, or narrow the SQL; --format csv has no limit.");
      exit(EXIT.unverified);
    });
}

/**
 * Runs the same command line in a child process, since a running SQL statement is deaf to signals and ends by the death
 * of its process alone. The child reads and writes for itself, and says what is wrong.
 *
 * @returns the exit code of the child
 * @throws InterruptedError, and CalltallyError (exit 3) after the deadline; the child is gone by then
 */
async function runInChild({ env, signal }: Context, timeoutSeconds: number): Promise<ExitCode> {
  signal.throwIfAborted();
  const outcome = await runChild(process.argv.slice(1), {
    deadlineMs: timeoutSeconds * 1000,
    graceMs: 0,
    signal,
    stopMs: 0,
    stdio: "inherit",
    env: { ...env, [QUERY_PARENT]: String(process.pid) },
  });
  signal.throwIfAborted();
  if (outcome.error !== null) throw outcome.error;
  const exitCode = Object.values(EXIT).find((known) => known === outcome.exitCode);
  if (exitCode !== undefined) return exitCode;
  if (outcome.isLate) {
    throw new CalltallyError(
      EXIT.unverified,
      `The query was ended after ${formatQuantity(timeoutSeconds, "second")}`,
      {
        hint: "Its output is incomplete. Allow more time with --timeout, or narrow the query: use WHERE or the rollup views.",
      },
    );
  }
  const end = outcome.signal ?? `code ${outcome.exitCode}`;
  throw new CalltallyError(EXIT.failed, `The process of the query ended by ${end}`, {
    hint: "It may have run out of memory: ask for fewer or shorter values.",
  });
}

async function readSql(input: AsyncIterable<Buffer | string>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    chunks.push(Buffer.from(chunk));
    bytes += chunk.length;
    if (bytes > MOST_SQL_BYTES) {
      throw new UsageError(`The SQL on standard input is longer than ${MOST_SQL_BYTES} bytes`);
    }
  }
  return Buffer.concat(chunks).toString("utf8");
}

function wholeNumber(most: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,16}$/.test(text) ? Number(text) : 0;
    if (number < 1 || number > most)
      throw new InvalidArgumentError(`must be a whole number from 1 to ${most}`);
    return number;
  };
}
