import { Command } from "@commander-js/extra-typings";
import { CalltallyError, EXIT, type ExitCode, UsageError } from "../../base/errors.ts";
import { formatQuantity } from "../../base/quantity-text.ts";
import { runChild } from "../../schedule/child-process.ts";
import { settingsOf } from "../chosen-accounts.ts";
import { type Context, OPTION, QUERY_PARENT } from "../context.ts";
import { action } from "../frame.ts";
import { choice, wholeNumber } from "../parsers.ts";
import { notesOnOrigin, notesOnRules } from "../warehouse-notes.ts";
import { QUERY_FORMATS, watchParent, writeQueryResult } from "../write-query.ts";

const DEFAULT_SECONDS = 60;
const MOST_SECONDS = 86_400;
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
      wholeNumber(1, MOST_SECONDS),
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
        const parent = context.env[QUERY_PARENT];
        if (parent === undefined) return { exit: await runInChild(context, timeout) };
        await watchParent(Number(parent));
        const most = maxRows ?? (format === "table" ? DEFAULT_TABLE_ROWS : undefined);
        const { isComplete } = await writeQueryResult({
          database: settings.database,
          sql: sql === "-" ? await readSql(process.stdin) : sql,
          format,
          maxRows: most,
          width: process.stdout.columns,
          writeChunk: context.write,
        });
        const notes = [...notesOnRules(settings), ...notesOnOrigin(settings)];
        if (isComplete || most === undefined) return { notes };
        notes.push(
          `Stopped after ${formatQuantity(most, "row")}; there are more.`,
          "Raise --max-rows, or narrow the SQL; --format csv has no limit.",
        );
        return { notes, exit: EXIT.unverified };
      }),
    );

const MOST_SQL_BYTES = 1_000_000;

/**
 * Runs the same command line in a child process, because a running SQL statement ignores signals and ends only with
 * its process. The child reads, writes and reports errors itself.
 * @returns the exit code of the child
 * @throws InterruptedError, and CalltallyError (exit 3) after the deadline, when the child has been killed
 */
async function runInChild(
  { env, signal }: Pick<Context, "env" | "signal">,
  timeoutSeconds: number,
): Promise<ExitCode> {
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
