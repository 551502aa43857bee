import { Argument, Command, Option } from "@commander-js/extra-typings";
import { systemClock } from "../base/clock.ts";
import { parseCurrency } from "../base/text/currency.ts";
import { toPrintable } from "../base/text/printable.ts";
import { DECIMAL_SIGNS } from "../intake/amount-text.ts";
import { DAY_ORDERS } from "../intake/day-text.ts";
import { type ImportedFile, type ImportLedger, removeImport } from "../intake/ledger.ts";
import { LINE_RULES } from "../intake/line-rule.ts";
import { openAsPermitted, openExistingWarehouse } from "../warehouse/file/open.ts";
import { openOwn } from "../warehouse/file/own-warehouse.ts";
import { settingsOf } from "./chosen-accounts.ts";
import { type Context, OPTION } from "./context.ts";
import { action, perAccount } from "./frame.ts";
import { choice, headerMap, parser, wholeNumber } from "./parsers.ts";
import { layOutTable } from "./terminal/query-table.ts";

/** What the commands that import files have in common. */
export const IMPORT = {
  files: () =>
    new Argument(
      "<file...>",
      "CSV, UTF-8, UTF-16 or Windows-1252, separated by commas, semicolons or tabs; {account} in a path is replaced by each account's name",
    ),
  map: <Field extends string>(
    help: string,
    fields: readonly Field[],
    { example, several }: { example: string; several?: readonly Field[] },
  ) =>
    new Option("--map <field=Header,…>", `${help}, e.g. ${example}`).argParser(
      headerMap(fields, example, several),
    ),
  lines: (help: string) => choice("--lines <rule>", LINE_RULES, help),
  currency: (of: string) =>
    new Option("--currency <code>", `currency of ${of} that name none, e.g. USD`).argParser(
      parser(parseCurrency),
    ),
  dates: () => choice("--dates <order>", DAY_ORDERS, "how to read 10/5/2026, if the file does not show it"),
  decimal: () => choice("--decimal <sign>", DECIMAL_SIGNS, "how to read 1,204, if the file does not show it"),
};

/** How the commands of a ledger show its imports. */
export interface ShownLedger<Import extends ImportedFile> {
  ledger: ImportLedger<Import>;
  /** If there are no imports. */
  none: string;
  toJson: (each: Import) => object;
  columns: readonly { name: string; of: (each: Import) => string | number | null }[];
  describeRemoved: (removed: Import) => string;
}

export function listCommand<Import extends ImportedFile>(
  context: Context,
  { ledger, none, toJson, columns }: ShownLedger<Import>,
  description: string,
) {
  const names = columns.map(({ name }) => name);
  return new Command("list")
    .description(description)
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText("after", `\nExample:\n  $ calltally ${ledger.command} list`)
    .action(
      perAccount(context, ({ settings }) => {
        using warehouse = openOwn(settings, openAsPermitted);
        const imports = ledger.read(warehouse);
        const rows = imports.map((each) => columns.map(({ of }) => of(each)));
        return { data: imports.map(toJson), text: rows.length === 0 ? none : layOutTable(names, rows) };
      }),
    );
}

/** @param example the number in the example of its help */
export function removeCommand<Import extends ImportedFile>(
  context: Context,
  { ledger, toJson, describeRemoved }: ShownLedger<Import>,
  { description, example }: { description: string; example: number },
) {
  return new Command("remove")
    .description(description)
    .addArgument(new Argument("<number>", "the import, by its number in the list").argParser(wholeNumber(1)))
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText("after", `\nExample:\n  $ calltally ${ledger.command} remove ${example}`)
    .action(
      action(context, (number) => {
        using warehouse = openOwn(settingsOf(context), openExistingWarehouse);
        const removedAt = new Date(systemClock.now()).toISOString();
        const { removed, lost } = removeImport(warehouse, ledger, { number, removedAt });
        const named = lost.map((each) => `import ${each.number} (${each.file})`);
        const summary = [
          describeRemoved(removed),
          ...(named.length === 0
            ? []
            : [`What it had replaced does not come back, ${named.join(", ")}: import that file again.`]),
        ];
        return {
          data: { ...toJson(removed), does_not_come_back: lost.map(toJson) },
          summary: summary.map(toPrintable).join("\n"),
        };
      }),
    );
}
