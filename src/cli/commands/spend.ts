import { Argument, Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { formatMicros, parseCurrency } from "../../base/currency.ts";
import { EXIT } from "../../base/errors.ts";
import { toPrintable } from "../../base/printable.ts";
import { formatCount, formatQuantity } from "../../base/quantity-text.ts";
import { WINDOWS } from "../../spend/decode-report.ts";
import { importFiles, type ReportFile } from "../../spend/import-files.ts";
import { DECIMAL_SIGNS } from "../../spend/spend-amount.ts";
import { type HeaderMap, SPEND_FIELDS } from "../../spend/spend-columns.ts";
import { DAY_ORDERS } from "../../spend/spend-day.ts";
import type { ImportedSpend } from "../../spend/spend-table.ts";
import { type Context, OPTION } from "../context.ts";
import { action, overFiles } from "../frame.ts";
import { choice, oneOf, parser, parseText } from "../parsers.ts";

export const command = (context: Context) =>
  new Command("spend")
    .description(
      "Reads what ads cost from the reports of ad platforms; export --spend shows it next to the calls.",
    )
    .addHelpText("after", "\nExample:\n  $ calltally spend import google-ads.csv")
    .addCommand(importCommand(context));

const importCommand = (context: Context) =>
  new Command("import")
    .description(
      `Imports daily spend from CSV files. A later import of a day and source replaces it; files given together add up,
except for rows that two of them contain.
Reports of Google Ads (google / cpc), Microsoft Advertising (bing / cpc) and Meta (facebook / paid_social) are
recognized by their English headers; so are columns named ${SPEND_FIELDS.join(", ")}.`,
    )
    .addArgument(
      new Argument(
        "<file...>",
        "CSV, UTF-8, UTF-16 or Windows-1252, separated by commas, semicolons or tabs; {account} in a path is replaced by each account's name",
      ),
    )
    .addOption(
      new Option("--map <field=Header,…>", "columns of another report, e.g. day=Date,cost=Spend").argParser(
        parseMap,
      ),
    )
    .option("--source <source>", "source of rows without a column for it, e.g. google", parseText)
    .option("--medium <medium>", "medium of rows without a column for it, e.g. cpc", parseText)
    .addOption(
      new Option("--currency <code>", "currency of rows that name none, e.g. USD").argParser(
        parser(parseCurrency),
      ),
    )
    .addOption(choice("--dates <order>", DAY_ORDERS, "how to read 10/5/2026, if the file does not show it"))
    .addOption(choice("--decimal <sign>", DECIMAL_SIGNS, "how to read 1,204, if the file does not show it"))
    .option("--add", "also add rows that an earlier one of these files contains")
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText(
      "after",
      `
Examples:
  $ calltally spend import google-ads.csv meta.csv
  $ calltally spend import costs.csv --map day=Date,cost=Amount --source tiktok --medium paid_social --currency USD`,
    )
    .action(
      action(context, (paths, { map = {}, currency: named, add, ...flags }) =>
        overFiles(context, paths, ({ settings }, files) => {
          const { signal } = context;
          const { reports, imported } = importFiles(settings, files, { ...flags, map, named, add, signal });
          return {
            data: spendToJson(reports, imported),
            summary: describeImport(reports, imported),
            exit: reports.some(({ left_out }) => left_out.length > 0) ? EXIT.unverified : EXIT.done,
          };
        }),
      ),
    );

/** Reads `day=Date,cost=Spend`; a comma belongs to a header unless a field follows it. */
function parseMap(text: string, collected: HeaderMap = {}): HeaderMap {
  const map: HeaderMap = { ...collected };
  for (const part of text.split(/,(?=\s*[a-z_]+\s*=)/i)) {
    const [, name = "", header = ""] = /^\s*(\w+)\s*=\s*(.+?)\s*$/.exec(part) ?? [];
    if (header === "") throw new InvalidArgumentError("must look like day=Date,cost=Spend");
    map[oneOf(SPEND_FIELDS)(name)] = header;
  }
  return map;
}

/** Excluded rows shown to a person; `--json` has all. */
const SHOWN = 20;

function spendToJson(files: readonly ReportFile[], { currency, sources }: ImportedSpend) {
  return {
    currency,
    files: files.map(({ rows, ...file }) => ({ ...file, rows: rows.length })),
    sources: sources.map(({ cost_micros, ...source }) => ({
      ...source,
      cost: Number(formatMicros(cost_micros)),
    })),
  };
}

function describeImport(files: readonly ReportFile[], { currency, sources }: ImportedSpend): string {
  const lines = files.map(describeFile);
  for (const { source, days, first_day, last_day, rows, cost_micros, replaced_rows } of sources) {
    const replaced = replaced_rows > 0 ? `, replacing ${formatQuantity(replaced_rows, "earlier row")}` : "";
    lines.push(
      `${toPrintable(source)}  ${formatQuantity(days, "day")}, ${first_day}${days > 1 ? ` to ${last_day}` : ""}, ${formatQuantity(rows, "row")}, ${formatMicros(cost_micros)} ${currency}${replaced}`,
    );
  }
  const leftOut = files.flatMap(({ file, left_out }) =>
    left_out.map(({ line, reason }) => toPrintable(`  ${file}:${line}  ${reason}`)),
  );
  if (leftOut.length > 0)
    lines.push(`Left out: ${formatQuantity(leftOut.length, "row")}`, ...leftOut.slice(0, SHOWN));
  if (leftOut.length > SHOWN) lines.push(`  and ${formatCount(leftOut.length - SHOWN)} more: --json has all`);
  return lines.join("\n");
}

function describeFile(report: ReportFile): string {
  const { file, report: name, encoding, unused_columns: unused, lines, rows, left_out, ...aside } = report;
  const { title_lines: title, total_lines: total, note_lines: note, blank_lines: empty } = aside;
  const others = { title, total, note, empty };
  const parts = [
    `${formatQuantity(rows.length, "row")}`,
    ...(left_out.length > 0 ? [`${formatCount(left_out.length)} left out`] : []),
    "1 header",
    ...Object.entries(others).flatMap(([name, { length }]) =>
      length > 0 ? [`${formatCount(length)} ${name}`] : [],
    ),
  ];
  const guessed = encoding === WINDOWS ? ", read as Windows-1252" : "";
  return [
    `${file}  ${name}${guessed}, ${formatQuantity(lines, "line")}: ${parts.join(", ")}`,
    ...(unused.length > 0 ? [`  not used: ${unused.join(", ")}`] : []),
  ]
    .map(toPrintable)
    .join("\n");
}
