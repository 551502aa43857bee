import { Command } from "@commander-js/extra-typings";
import type { ExitCode } from "../errors.ts";
import { type Context, OPTION } from "./context.ts";

export function configCommand(context: Context, exit: (code: ExitCode) => void) {
  return new Command("config")
    .description("Checks, shows and describes calltally.yaml, the file of accounts and reports.")
    .addHelpText("after", "\nExample:\n  $ calltally config check")
    .addCommand(checkCommand(context, exit))
    .addCommand(showCommand(context))
    .addCommand(schemaCommand(context));
}

function checkCommand(context: Context, exit: (code: ExitCode) => void) {
  return new Command("check")
    .description("Checks calltally.yaml and all settings, without sending anything.")
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally config check --config /etc/calltally/calltally.yaml")
    .action(async ({ json }) => {
      const { runConfigCheck } = await import("./config/check-config.ts");
      await runConfigCheck(context, json === true, exit);
    });
}

function showCommand(context: Context) {
  return new Command("show")
    .description("Shows which settings are in force, and where each comes from; never a secret.")
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally config show --account acme")
    .action(async ({ json }) => {
      const { runConfigShow } = await import("./config/show-config.ts");
      await runConfigShow(context, json === true);
    });
}

function schemaCommand(context: Context) {
  return new Command("schema")
    .description("Prints the JSON Schema of calltally.yaml, for editors.")
    .option("--reference", "print it in words, as Markdown")
    .addHelpText(
      "after",
      `
Example:
  $ calltally config schema > calltally.schema.json
  and at the top of calltally.yaml: # yaml-language-server: $schema=calltally.schema.json`,
    )
    .action(async ({ reference }) => {
      const { jsonSchema, describeReference } = await import("./config/config-reference.ts");
      context.print(reference ? describeReference() : JSON.stringify(jsonSchema(), null, 2));
    });
}
