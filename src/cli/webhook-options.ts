import { Argument, Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { OPTION } from "./context.ts";
import { choice, wholeNumber } from "./parsers.ts";

const STATUSES = ["active", "inactive"] as const;

/** Declares `calltally webhook replace`. */
export const declareReplace = () =>
  new Command("replace")
    .description(
      "Replaces all settings of a webhook (PUT): every required field must be given, even if unchanged. A field that is left out is expected to become empty or false, but for webhook_status.",
    )
    .addArgument(idArgument())
    .requiredOption("--file <json>", "the webhook, a JSON object; - reads standard input")
    .option("--dry-run", "print the request and do not send it")
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally webhook replace 44 --file webhook.json --dry-run");

export type PatchFlags = ReturnType<ReturnType<typeof declarePatch>["opts"]>;

/** Declares `calltally webhook patch`. */
export const declarePatch = () =>
  new Command("patch")
    .description("Changes some settings of a webhook (PATCH); flags take precedence over fields in the file.")
    .addArgument(idArgument())
    .option("--file <json>", "the changes, a JSON object; - reads standard input")
    .option("--name <text>", "name of the webhook")
    .option("--endpoint <url>", "https address that events go to")
    .option("--description <text>", "description of the webhook")
    .option("--format <format>", "format of the events, e.g. JSON")
    .option("--method <method>", "HTTP method of the events, e.g. GET")
    .addOption(choice("--status <status>", STATUSES, "whether events are sent"))
    .option("--include-data-append", "add appended data to the events")
    .option("--no-include-data-append", "leave appended data out")
    .option("--include-dni-logs", "add DNI logs to the events")
    .option("--no-include-dni-logs", "leave DNI logs out")
    .option("--include-indicator-scores", "add indicator scores to the events")
    .option("--no-include-indicator-scores", "leave indicator scores out")
    .option("--include-ivr-keypresses", "add IVR keypresses to the events")
    .option("--no-include-ivr-keypresses", "leave IVR keypresses out")
    .option(
      "--static-parameter <name=value...>",
      "the complete new list of static parameters",
      parseParameter,
    )
    .addOption(
      new Option("--clear-static-parameters", "clear the list of static parameters").conflicts(
        "staticParameter",
      ),
    )
    .addOption(
      new Option(
        "--doorbell <url>",
        "https address of schedule's doorbell, e.g. https://calls.example.com/doorbell/acme: events go there by POST, with the secret of calltally.yaml as one more static parameter",
      ).conflicts(["endpoint", "method", "format"]),
    )
    .option("--dry-run", "print the request and do not send it")
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText(
      "after",
      "\nExamples:\n  $ calltally webhook patch 44 --status inactive --static-parameter team=sales" +
        "\n  $ calltally webhook patch 44 --doorbell https://calls.example.com/doorbell/acme --clear-static-parameters",
    );

/** Returns the members of a webhook that flags change. */
export function toChanges(flags: PatchFlags): object {
  const changes = {
    webhook_name: flags.name,
    webhook_endpoint: flags.endpoint,
    description: flags.description,
    format: flags.format,
    method: flags.method,
    webhook_status: flags.status,
    include_data_append: flags.includeDataAppend,
    include_dni_logs: flags.includeDniLogs,
    include_indicator_scores: flags.includeIndicatorScores,
    include_ivr_keypresses: flags.includeIvrKeypresses,
    static_parameters: flags.clearStaticParameters ? [] : flags.staticParameter,
  };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

function parseParameter(given: string, others: { field_name: string; field_value: string }[] | undefined) {
  const [, field_name, field_value] = /^([^=]+)=(.*)$/s.exec(given) ?? [];
  if (field_name === undefined || field_value === undefined) {
    throw new InvalidArgumentError("must be written as name=value");
  }
  return [...(others ?? []), { field_name, field_value }];
}

function idArgument() {
  return new Argument("<id>", "id of the webhook").argParser(wholeNumber());
}
