import { Command } from "@commander-js/extra-typings";
import { EXIT } from "../../base/errors.ts";
import { accountsOf, loadConfiguration } from "../chosen-accounts.ts";
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
        const { checkConfig } = await import("../../doctor/check-config.ts");
        const { describeConfigCheck } = await import("../terminal/config-text.ts");
        const configuration = await loadConfiguration(context);
        const checked = checkConfig(configuration, accountsOf(context), context);
        return {
          data: checked,
          text: describeConfigCheck(checked, configuration.file?.name),
          exit: checked.problems.length > 0 ? EXIT.usage : EXIT.done,
        };
      }),
    );

const showCommand = (context: Context) =>
  new Command("show")
    .description("Shows which settings are in force, and where each comes from; never a secret.")
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally config show --account acme")
    .action(
      action(context, async () => {
        const { showConfig } = await import("../../config/show-config.ts");
        const { describeConfig } = await import("../terminal/config-text.ts");
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
