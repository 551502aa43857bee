import { readFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { Argument, Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { UsageError } from "../../base/errors.ts";
import { adviseOn, reasonOf } from "../../base/file-access.ts";
import { toApiAccess } from "../../config/api-access.ts";
import { type Doorbell, readDoorbell } from "../../config/doorbell.ts";
import type { Settings } from "../../config/load-settings.ts";
import { maskSecrets, sendWebhookChange, toDoorbellChange } from "../../features/webhooks/change-webhook.ts";
import {
  checkWebhookChange,
  OPTIONAL_WEBHOOK_FIELDS,
  type WebhookChange,
} from "../../features/webhooks/webhook-client.ts";
import { configurationOf, onlyAccountOf, settingsOf } from "../chosen-accounts.ts";
import { type Context, OPTION } from "../context.ts";
import { action, note, type Result } from "../frame.ts";
import { choice, eachOf, wholeNumber } from "../parsers.ts";

export const command = (context: Context) =>
  new Command("webhook")
    .description(
      "Changes webhooks at the service; each change is recorded in the warehouse table webhook_changes.",
    )
    .addHelpText("after", "\nExample:\n  $ calltally webhook patch 44 --status inactive --dry-run")
    .addCommand(replaceCommand(context))
    .addCommand(patchCommand(context));

const replaceCommand = (context: Context) =>
  new Command("replace")
    .description(
      "Replaces all settings of a webhook (PUT): every required field must be given, even if unchanged. A field that is left out is expected to become empty or false, except webhook_status.",
    )
    .addArgument(idArgument())
    .requiredOption("--file <json>", "the webhook, a JSON object; - reads standard input")
    .option("--dry-run", "print the request without sending it")
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally webhook replace 44 --file webhook.json --dry-run")
    .action(
      action(context, async (id, { file, dryRun }) => {
        const change = checkWebhookChange(id, "PUT", await readJson(file));
        for (const text of notesOnReplacing(change)) note(context, text);
        return await send(context, change, { dryRun });
      }),
    );

const patchCommand = (context: Context) =>
  declarePatch().action(
    action(context, async (id, { file, doorbell: url, dryRun, ...flags }) => {
      const fromFile = file === undefined ? {} : await readJson(file);
      const body = { ...fromFile, ...toChanges(flags) };
      if (url === undefined) return await send(context, checkWebhookChange(id, "PATCH", body), { dryRun });
      const doorbell = requireDoorbell(context);
      const change = toDoorbellChange(id, url, body, doorbell);
      const names = change.body.static_parameters?.map(({ field_name }) => field_name).join(", ");
      note(
        context,
        `Replaces the endpoint, method and format of webhook ${id}, and its whole list of static parameters by: ${names}.`,
      );
      for (const text of notesOnDoor(url, onlyAccountOf(context).name, doorbell)) note(context, text);
      return await send(context, change, { dryRun, secret: doorbell.secret });
    }),
  );

function requireDoorbell(context: Context): Doorbell {
  const { file } = configurationOf(context);
  const doorbell = file && readDoorbell(file);
  if (doorbell !== undefined) return doorbell;
  throw new UsageError(`Cannot use --doorbell: ${file?.name ?? "calltally.yaml"} has no doorbell`, {
    hint: "Configure it there:\ndoorbell:\n  secret_file: secrets/doorbell",
  });
}

/** @param secret part of the body, and removed from the response */
async function send(
  context: Context,
  change: WebhookChange,
  { dryRun, secret }: { dryRun?: true | undefined; secret?: string },
): Promise<Result> {
  const settings = settingsOf(context);
  if (dryRun) return { text: describeRequest(change, settings) };
  const access = { ...toApiAccess(settings), secret };
  const response = await sendWebhookChange(settings.database, access, change, context.signal);
  const done = `Webhook ${response.webhook_id} ${change.method === "PUT" ? "replaced" : "changed"}`;
  return { data: response, summary: `${done}, request ${response.request_id ?? "unknown"}` };
}

function notesOnReplacing({ body }: WebhookChange): string[] {
  const leftOut = OPTIONAL_WEBHOOK_FIELDS.filter((field) => !(field in body));
  const emptied = leftOut.filter((field) => field !== "webhook_status");
  return [
    ...(emptied.length > 0
      ? [
          `Left out of the body: ${emptied.join(", ")}.`,
          "They probably become empty or false; the API's documentation does not say.",
        ]
      : []),
    ...(leftOut.includes("webhook_status")
      ? ["webhook_status is left out of the body, and keeps its value."]
      : []),
    ...(body.static_parameters ? ["static_parameters replaces the whole stored list."] : []),
  ];
}

/** Remarks on an address that is not an account's doorbell: not an error, since a proxy may rewrite paths. */
function notesOnDoor(url: string, name: string | undefined, { account: only }: Doorbell): string[] {
  const door = name === undefined ? "/doorbell" : `/doorbell/${name}`;
  const doors = name === only ? [door, "/doorbell"] : [door];
  if (doors.some((path) => new URL(url).pathname.endsWith(path))) return [];
  return [
    `${url} does not end with ${door}: unless a proxy rewrites it, deliveries will not sync ${name ?? "this account"}.`,
  ];
}

function describeRequest({ id, method, body }: WebhookChange, { baseUrl }: Settings): string {
  const address = (baseUrl?.href ?? "{base_url}").replace(/\/+$/, "");
  return `${method} ${address}/v3/webhooks/${id}\n${JSON.stringify(maskSecrets(body), null, 2)}`;
}

/**
 * Reads a JSON object from a file, or from standard input for `-`.
 * @throws UsageError that quotes nothing of the file, which may contain secrets
 */
async function readJson(file: string): Promise<object> {
  const content = file === "-" ? await buffer(process.stdin) : readFile(file);
  try {
    // Without a byte order mark. Text that is not UTF-8 would be sent altered.
    const body: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(content));
    if (typeof body === "object" && body !== null && !Array.isArray(body)) return body;
  } catch {
    // The parser's message quotes the text.
  }
  throw new UsageError(`${file === "-" ? "Standard input" : file} is not a JSON object in UTF-8`, {
    hint: 'Write the members to change, such as {"status": "active"}, and save it as UTF-8.',
  });
}

function readFile(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new UsageError(`Cannot read the file of the webhook, ${file}: ${reasonOf(cause)}`, {
      hint: adviseOn(cause),
    });
  }
}

const STATUSES = ["active", "inactive"] as const;

type PatchFlags = ReturnType<ReturnType<typeof declarePatch>["opts"]>;

const declarePatch = () =>
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
      eachOf(parseParameter),
    )
    .addOption(
      new Option("--clear-static-parameters", "clear the list of static parameters").conflicts(
        "staticParameter",
      ),
    )
    .addOption(
      new Option(
        "--doorbell <url>",
        "https address of schedule's doorbell, e.g. https://calls.northwind.example/doorbell/austin: events are sent there by POST, with the secret of calltally.yaml as an additional static parameter",
      ).conflicts(["endpoint", "method", "format"]),
    )
    .option("--dry-run", "print the request without sending it")
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText(
      "after",
      "\nExamples:\n  $ calltally webhook patch 44 --status inactive --static-parameter team=sales" +
        "\n  $ calltally webhook patch 44 --doorbell https://calls.northwind.example/doorbell/austin --clear-static-parameters",
    );

function toChanges(flags: PatchFlags): object {
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

function parseParameter(text: string) {
  const [, field_name, field_value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (field_name === undefined || field_value === undefined) {
    throw new InvalidArgumentError("must be written as name=value");
  }
  return { field_name, field_value };
}

function idArgument() {
  return new Argument("<id>", "id of the webhook").argParser(wholeNumber());
}
