import { Command } from "@commander-js/extra-typings";
import { EXIT } from "../../base/errors.ts";
import { formatQuantity } from "../../base/text/quantity-text.ts";
import { formatTable } from "../../base/text/terminal-text.ts";
import type { ShownConfig } from "../../config/show-config.ts";
import type { checkConfig } from "../../operate/doctor/check-config.ts";
import { accountsOf, loadConfiguration, remarksOf } from "../chosen-accounts.ts";
import { type Context, OPTION } from "../context.ts";
import { action } from "../frame.ts";

export const command = (context: Context) =>
  new Command("config")
    .description("Checks, shows and describes calltally.yaml, the file of accounts and reports.")
    .addHelpText("after", "\nExample:\n  $ calltally config check")
    .addCommand(checkCommand(context))
    .addCommand(showCommand(context))
    .addCommand(schemaCommand(context));

const checkCommand = (context: Context) =>
  new Command("check")
    .description("Checks calltally.yaml and all settings, without sending anything.")
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally config check --config /etc/calltally/calltally.yaml")
    .action(
      action(context, async () => {
        const { checkConfig } = await import("../../operate/doctor/check-config.ts");
        const { remarkOnOrphans } = await import("../../operate/status/orphans.ts");
        const configuration = await loadConfiguration(context);
        const checked = checkConfig(configuration, accountsOf(context), context);
        return {
          data: checked,
          text: describeConfigCheck(checked, configuration.file?.name),
          notes: [...remarkOnOrphans(configuration), ...remarksOf(context)],
          exit: checked.problems.length > 0 ? EXIT.usage : EXIT.done,
        };
      }),
    );

const showCommand = (context: Context) =>
  new Command("show")
    .description("Shows which settings are in force, and where each comes from; never a secret.")
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally config show --account austin")
    .action(
      action(context, async () => {
        const { showConfig } = await import("../../config/show-config.ts");
        const configuration = await loadConfiguration(context);
        const shown = showConfig(configuration, accountsOf(context));
        return { data: shown, text: describeConfig(shown) };
      }),
    );

const schemaCommand = (context: Context) =>
  new Command("schema")
    .description("Prints the JSON Schema of calltally.yaml, for editors.")
    .option("--reference", "print it in words, as Markdown")
    .addHelpText(
      "after",
      `
Example:
  $ calltally config schema > calltally.schema.json
  and at the top of calltally.yaml: # yaml-language-server: $schema=calltally.schema.json`,
    )
    .action(
      action(context, async ({ reference }) => {
        const { jsonSchema, describeReference } = await import("../../config/config-reference.ts");
        return { text: reference ? describeReference() : JSON.stringify(jsonSchema(), null, 2) };
      }),
    );

function describeConfig({ file, keys, accounts, reports }: ShownConfig): string {
  const tables = [
    ...(keys.length > 0 ? [toTable("key of the file", keys)] : []),
    ...accounts.map(({ account, settings, recipients }) => {
      const set = settings.filter(({ from }) => from !== "not set");
      const to = recipients.length > 0 ? `\nRecipients: ${nameWays(recipients)}` : "";
      return `${account === null ? "" : `${account}\n`}${toTable("setting", set)}${to}`;
    }),
  ];
  const rows = Object.entries(reports).map(([name, { accounts: of, cron, format = "csv", deliver = [] }]) => [
    name,
    [of ?? "all"].flat().join(", "),
    format,
    cron ?? "by hand",
    nameWays(deliver),
  ]);
  if (rows.length > 0)
    tables.push(formatTable(["report", "accounts", "format", "cron", "delivered by"], rows, "left"));
  const place = file === null ? "No calltally.yaml: one account, from the environment" : `File  ${file}`;
  return [place, ...tables].join("\n\n");
}

/** Names how recipients get a report: `email, to: account`. */
function nameWays(recipients: readonly object[]): string {
  return recipients
    .flatMap((way) => Object.keys(way))
    .map((way) => (way === "to" ? "to: account" : way))
    .join(", ");
}

function toTable(head: string, settings: ShownConfig["keys"]): string {
  const rows = settings.map(({ setting, from, value, problem }) => [setting, from, problem ?? value ?? ""]);
  return formatTable([head, "from", "value"], rows, "left");
}

function describeConfigCheck(
  { accounts, reports, problems }: ReturnType<typeof checkConfig>,
  name: string | undefined,
) {
  const counts = `${formatQuantity(accounts, "account")}, ${formatQuantity(reports, "report")}`;
  const end = problems.length === 0 ? "no problem" : formatQuantity(problems.length, "problem");
  return [...problems, `${name ?? "Without calltally.yaml"}: ${counts}: ${end}`].join("\n");
}
