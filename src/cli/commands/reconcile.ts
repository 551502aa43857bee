import { existsSync } from "node:fs";
import { Command } from "@commander-js/extra-typings";
import { type DateRange, parseDate } from "../../base/calendar/dates.ts";
import { attempt, EXIT, UsageError } from "../../base/errors.ts";
import { parseFilePath } from "../../base/text/path-text.ts";
import { toPrintable } from "../../base/text/printable.ts";
import type { Account } from "../../config/accounts.ts";
import { loadSettings } from "../../config/load-settings.ts";
import { describeList, doAgree, reconciledToJson } from "../../features/reconcile/describe-list.ts";
import { DIFFERENCES_FILE, writeDifferences } from "../../features/reconcile/differences-file.ts";
import { LISTED_FIELDS } from "../../features/reconcile/listed-call.ts";
import { type AccountCopy, reconcileList } from "../../features/reconcile/reconcile-list.ts";
import { assertOutput } from "../../warehouse/file/output-file.ts";
import { accountsOf, configurationOf } from "../chosen-accounts.ts";
import { type Context, OPTION } from "../context.ts";
import { action } from "../frame.ts";
import { IMPORT } from "../imported-files.ts";
import { parser } from "../parsers.ts";
import { replacementOf } from "../replacement.ts";

export const command = (context: Context) =>
  new Command("reconcile")
    .description(
      `Compares the calls of a list, such as the platform's own download, with the copy: which are on one side alone, and why,
and which have another start or duration. Nothing is imported. With several accounts, the list may have calls of all.
Exit code 3 says that they do not agree. Columns named ${LISTED_FIELDS.join(", ")} and other common headers are
recognized; only the call id is needed.`,
    )
    .argument(
      "<file>",
      "CSV, UTF-8, UTF-16 or Windows-1252, separated by commas, semicolons or tabs",
      parser(parseFilePath),
    )
    .addOption(
      IMPORT.map("columns with other headers", LISTED_FIELDS, {
        example: "call_id=Reference,call_started=Date",
      }),
    )
    .addOption(IMPORT.dates())
    .option("--from <date>", "first local day to compare; by default, the list decides", parser(parseDate))
    .option("--to <date>", "last local day to compare", parser(parseDate))
    .option(
      "--differences <file>",
      "write the calls that do not agree to this file, with the reason",
      parser(parseFilePath),
      "reconcile-differences.csv",
    )
    .option(...OPTION.replace)
    .option(...OPTION.timezone)
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText(
      "after",
      `
Examples:
  $ calltally reconcile download.csv
  $ calltally reconcile download.csv --map call_id=Reference --from 2026-10-01 --to 2026-10-31 --timezone America/Chicago`,
    )
    .action(
      action(context, (file, { differences: path, replace, from, to, map = {}, dates }) => {
        const output = assertOutput(path, DIFFERENCES_FILE.kind, {
          inputs: [file],
          replacing: replacementOf(context, replace),
        });
        const list = reconcileList(file, {
          ...{ map, dates },
          ...copiesOf(context),
          range: toRange(from, to),
        });
        // An earlier file would be taken for that of this list.
        const differencesFile = list.differences.length > 0 ? path : undefined;
        if (differencesFile !== undefined || existsSync(output)) writeDifferences(output, list.differences);
        return {
          data: { ...reconciledToJson(list), differences_file: differencesFile ?? null },
          text: describeList(list, differencesFile).map(toPrintable).join("\n"),
          exit: doAgree(list) ? EXIT.done : EXIT.unverified,
        };
      }),
    );

/** Returns the accounts to compare with, and others that may have calls of the list. */
function copiesOf(context: Context): { copies: AccountCopy[]; others: AccountCopy[] } {
  const chosen = accountsOf(context);
  const names = new Set(chosen.map(({ name }) => name));
  const others = configurationOf(context).accounts.filter(({ name }) => !names.has(name));
  return {
    copies: chosen.map(toCopy),
    others: others.flatMap((other) => attempt(() => toCopy(other)) ?? []),
  };
}

const toCopy = ({ name, sources }: Account): AccountCopy => ({ ...loadSettings(sources), account: name });

function toRange(from: string | undefined, to: string | undefined): DateRange {
  if (from !== undefined && to !== undefined && from > to)
    throw new UsageError(`--from ${from} is after --to ${to}`, {
      hint: `Did you mean --from ${to} --to ${from}?`,
    });
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}
