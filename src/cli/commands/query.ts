import { Command } from "@commander-js/extra-typings";
import { EXIT } from "../../base/errors.ts";
import { formatQuantity } from "../../base/quantity-text.ts";
import { settingsOf } from "../chosen-accounts.ts";
import { type Context, OPTION, QUERY_PARENT } from "../context.ts";
import { action } from "../frame.ts";
import { choice, wholeNumber } from "../parsers.ts";
import { QUERY_FORMATS, readSql, runInChild } from "../query-process.ts";

const DEFAULT_SECONDS = 60;
const MOST_SECONDS = 86_400;
/** A table is laid out when all its rows are there. */
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
        const { notesOnOrigin, notesOnRules } = await import("../warehouse-notes.ts");
        const { watchParent, writeQueryResult } = await import("../write-query.ts");
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
