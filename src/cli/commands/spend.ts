import { Command } from "@commander-js/extra-typings";
import { EXIT } from "../../base/errors.ts";
import { formatMicros } from "../../base/text/currency.ts";
import { toPrintable } from "../../base/text/printable.ts";
import { formatCount, formatQuantity } from "../../base/text/quantity-text.ts";
import { importFiles, type ReportFile } from "../../features/spend/import-files.ts";
import { SPEND_FIELDS } from "../../features/spend/spend-forms.ts";
import type { SpendImport } from "../../features/spend/spend-imports.ts";
import { SPEND_LEDGER } from "../../features/spend/spend-ledger.ts";
import type { ImportedSpend } from "../../features/spend/spend-table.ts";
import { WINDOWS } from "../../intake/decode-text.ts";
import { amountText, describeAside, describeUnused, toAmount } from "../../intake/import-words.ts";
import { describeState } from "../../intake/ledger.ts";
import { type Context, OPTION } from "../context.ts";
import { action, overFiles } from "../frame.ts";
import { IMPORT, listCommand, removeCommand, type ShownLedger } from "../imported-files.ts";
import { parseText } from "../parsers.ts";

export const command = (context: Context) =>
  new Command("spend")
    .description(
      "Reads what ads cost from the reports of ad platforms; export --spend shows it next to the calls.",
    )
    .addHelpText(
      "after",
      "\nExamples:\n  $ calltally spend import google-ads.csv\n  $ calltally spend list\n  $ calltally spend remove 12",
    )
    .addCommand(importCommand(context))
    .addCommand(
      listCommand(
        context,
        SPEND,
        "Lists imports, latest first, by file and source: the remaining rows, and the import that replaced all of them.",
      ),
    )
    .addCommand(
      removeCommand(context, SPEND, {
        description:
          "Removes an import, e.g. one with a wrong --source. Rows that it replaced do not come back: import their file again.",
        example: 12,
      }),
    );

const importCommand = (context: Context) =>
  new Command("import")
    .description(
      `Imports daily spend from CSV files. A later import of a day and source replaces it; files given together add up,
except for rows that two of them contain.
Reports of Google Ads (google / cpc), Microsoft Advertising (bing / cpc) and Meta (facebook / paid_social) are
recognized by their English headers; so are columns named ${SPEND_FIELDS.join(", ")}.`,
    )
    .addArgument(IMPORT.files())
    .addOption(IMPORT.map("columns of another report", SPEND_FIELDS, { example: "day=Date,cost=Spend" }))
    .option("--source <source>", "source of rows without a column for it, e.g. google", parseText)
    .option("--medium <medium>", "medium of rows without a column for it, e.g. cpc", parseText)
    .addOption(IMPORT.currency("rows"))
    .addOption(IMPORT.dates())
    .addOption(IMPORT.decimal())
    .addOption(IMPORT.lines("how rows count that an earlier one of these files has, too (once)"))
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
      action(context, (paths, { map = {}, currency: named, lines, ...flags }) =>
        overFiles(context, paths, ({ settings }, files) => {
          const { signal } = context;
          const { reports, imported } = importFiles(settings, files, { ...flags, map, named, lines, signal });
          return {
            data: spendToJson(reports, imported),
            summary: describeImport(reports, imported),
            exit: reports.some(({ left_out }) => left_out.length > 0) ? EXIT.unverified : EXIT.done,
          };
        }),
      ),
    );

const SPEND: ShownLedger<SpendImport> = {
  ledger: SPEND_LEDGER,
  none: "No spend has been imported.",
  toJson: importToJson,
  columns: [
    { name: "number", of: ({ number }) => number },
    { name: "imported_at", of: ({ imported_at }) => imported_at },
    { name: "file", of: ({ file }) => file },
    { name: "source", of: ({ source }) => source },
    { name: "days", of: describeDays },
    { name: "rows", of: ({ rows }) => rows },
    { name: "cost", of: amountOf },
    { name: "state", of: describeLeft },
  ],
  describeRemoved: (removed) =>
    `Removed ${formatQuantity(removed.rows, "row")} of ${removed.source} from ${removed.file}: ${describeDays(removed)}, ${amountOf(removed)}`,
};

/** What it had is not in the columns, whose sums are the spend. */
function describeLeft(each: SpendImport): string {
  const { rows, had_rows, had_cost_micros, currency, removed_at } = each;
  if (removed_at === null && rows === had_rows) return "in use";
  return `${describeState(each)}; had ${formatQuantity(had_rows, "row")}, ${amountOf({ cost_micros: had_cost_micros, currency })}`;
}

function importToJson({ had_cost_micros, ...each }: SpendImport) {
  return { ...costToJson(each), had_cost: Number(formatMicros(had_cost_micros)) };
}

function describeDays({ first_day, last_day }: { first_day: string; last_day: string }): string {
  return first_day === last_day ? first_day : `${first_day} to ${last_day}`;
}

function amountOf({ cost_micros, currency }: { cost_micros: bigint; currency: string | null }): string {
  return amountText(cost_micros, currency);
}

/** Excluded rows shown to a person; `--json` has all. */
const SHOWN = 20;
const CAMPAIGNS_SHOWN = 5;

function spendToJson(files: readonly ReportFile[], { currency, sources }: ImportedSpend) {
  return {
    currency,
    files: files.map(({ rows, left_out, ...file }) => ({
      ...file,
      rows: rows.length,
      left_out: left_out.map(({ line, reason, amount_micros }) => ({
        line,
        reason,
        cost: toAmount(amount_micros),
      })),
    })),
    sources: sources.map(({ replaced, ...source }) => ({
      ...costToJson(source),
      replaced: costToJson(replaced),
    })),
  };
}

function costToJson<Costs extends { cost_micros: bigint }>({ cost_micros, ...others }: Costs) {
  return { ...others, cost: Number(formatMicros(cost_micros)) };
}

function describeImport(files: readonly ReportFile[], { currency, sources }: ImportedSpend): string {
  const lines = files.flatMap(describeFile);
  for (const each of sources) {
    const { source, days, rows, replaced } = each;
    const isReplacing = replaced.rows > 0;
    const amount = amountOf({ ...each, currency });
    const ending = isReplacing ? `, replacing ${formatQuantity(replaced.rows, "earlier row")}` : "";
    lines.push(
      `${source}  ${formatQuantity(days, "day")}, ${describeDays(each)}, ${formatQuantity(rows, "row")}, ${amount}${ending}`,
    );
    if (isReplacing)
      lines.push(
        `  before: ${amountOf({ ...replaced, currency })}, ${listCampaigns(replaced)}`,
        `  now: ${amount}, ${listCampaigns(each)}`,
      );
  }
  const leftOut = files.flatMap(({ file, left_out }) =>
    left_out.map(({ line, reason }) => `  ${file}:${line}  ${reason}`),
  );
  const cost = files
    .flatMap(({ left_out }) => left_out)
    .reduce((sum, { amount_micros }) => sum + BigInt(amount_micros ?? 0), 0n);
  const ofCost = cost === 0n ? "" : `, ${amountText(cost, currency)}`;
  if (leftOut.length > 0)
    lines.push(`Left out: ${formatQuantity(leftOut.length, "row")}${ofCost}`, ...leftOut.slice(0, SHOWN));
  if (leftOut.length > SHOWN) lines.push(`  and ${formatCount(leftOut.length - SHOWN)} more: --json has all`);
  return lines.map(toPrintable).join("\n");
}

function listCampaigns({ campaigns }: Pick<ImportedSpend["sources"][number], "campaigns">): string {
  const more = campaigns.length - CAMPAIGNS_SHOWN;
  const shown = campaigns.slice(0, CAMPAIGNS_SHOWN).map((campaign) => campaign ?? "no campaign");
  return [...shown, ...(more > 0 ? [`and ${formatCount(more)} more`] : [])].join(", ");
}

function describeFile(report: ReportFile): string[] {
  const { file, report: name, encoding, unused_columns, lines, rows, left_out } = report;
  const parts = [
    `${formatQuantity(rows.length, "row")}`,
    ...(left_out.length > 0 ? [`${formatCount(left_out.length)} left out`] : []),
    ...describeAside(report),
  ];
  const guessed = encoding === WINDOWS ? ", read as Windows-1252" : "";
  return [
    `${file}  ${name}${guessed}, ${formatQuantity(lines, "line")}: ${parts.join(", ")}`,
    ...describeUnused(unused_columns),
    ...(rows.length === 0 ? ["  nothing changes: it has no rows to import"] : []),
  ];
}
