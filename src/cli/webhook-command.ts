import { readFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { Argument, Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { toApiAccess } from "../config/api-access.ts";
import { type Doorbell, readDoorbell, SECRET_PARAMETER } from "../config/doorbell.ts";
import type { Settings } from "../config/load-settings.ts";
import { UsageError } from "../errors.ts";
import { reasonOf } from "../file-access.ts";
import {
  checkWebhookChange,
  maskSecrets,
  sendWebhookChange,
  type WebhookChange,
} from "../webhooks/change-webhook.ts";
import { OPTIONAL_WEBHOOK_FIELDS } from "../webhooks/webhook-client.ts";
import { accountsOf, type Context, configurationOf, OPTION, settingsOf } from "./context.ts";
import { oneOf } from "./suggest.ts";

const STATUSES = ["active", "inactive"] as const;

interface SendFlags {
  dryRun?: true | undefined;
  json?: true | undefined;
  database?: string | undefined;
}

export function webhookCommand(context: Context) {
  return new Command("webhook")
    .description(
      "Changes webhooks at the service; each change is recorded in the warehouse table webhook_changes.",
    )
    .addHelpText("after", "\nExample:\n  $ calltally webhook patch 44 --status inactive --dry-run")
    .addCommand(replaceCommand(context))
    .addCommand(patchCommand(context));
}

function replaceCommand(context: Context) {
  return new Command("replace")
    .description(
      "Replaces all settings of a webhook (PUT): every required field must be given, even if unchanged. A field that is left out is expected to become empty or false, but for webhook_status.",
    )
    .addArgument(idArgument())
    .requiredOption("--file <json>", "the webhook, a JSON object; - reads standard input")
    .option("--dry-run", "print the request and do not send it")
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally webhook replace 44 --file webhook.json --dry-run")
    .action(async (id, { file, ...flags }) => {
      const change = checkWebhookChange(id, "PUT", await readJson(file));
      const leftOut = OPTIONAL_WEBHOOK_FIELDS.filter((field) => !(field in change.body));
      const emptied = leftOut.filter((field) => field !== "webhook_status");
      if (emptied.length > 0) {
        context.note(`Left out of the body: ${emptied.join(", ")}.`);
        context.note(
          "Our reading of a full update: they become empty or false; the API's documentation does not say.",
        );
      }
      if (leftOut.includes("webhook_status"))
        context.note("webhook_status is left out of the body, and keeps its value.");
      if (change.body.static_parameters) context.note("static_parameters replaces the stored list whole.");
      await send(context, change, flags);
    });
}

function patchCommand(context: Context) {
  return new Command("patch")
    .description("Changes some settings of a webhook (PATCH); flags take precedence over fields in the file.")
    .addArgument(idArgument())
    .option("--file <json>", "the changes, a JSON object; - reads standard input")
    .option("--name <text>", "name of the webhook")
    .option("--endpoint <url>", "https address that events go to")
    .option("--description <text>", "description of the webhook")
    .option("--format <format>", "format of the events, e.g. JSON")
    .option("--method <method>", "HTTP method of the events, e.g. GET")
    .addOption(
      new Option("--status <status>", "whether events are sent").choices(STATUSES).argParser(oneOf(STATUSES)),
    )
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
    )
    .action(async (id, flags) => {
      const fromFile = flags.file === undefined ? {} : await readJson(flags.file);
      const fromFlags = {
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
      const given = Object.fromEntries(Object.entries(fromFlags).filter(([, value]) => value !== undefined));
      const body = { ...fromFile, ...given };
      if (flags.doorbell === undefined)
        return await send(context, checkWebhookChange(id, "PATCH", body), flags);
      const doorbell = requireDoorbell(context);
      const change = toDoorbellChange(id, flags.doorbell, body, doorbell);
      const names = change.body.static_parameters?.map(({ field_name }) => field_name).join(", ");
      context.note(
        `Replaces the endpoint, method and format of webhook ${id}, and its whole list of static parameters by: ${names}.`,
      );
      noteOtherDoor(context, flags, doorbell);
      await send(context, change, flags, doorbell.secret);
    });
}

/** A proxy may rewrite paths, so that a door of another account is no error. */
function noteOtherDoor(
  context: Context,
  { doorbell: url = "", database }: { doorbell?: string; database?: string },
  { account: only }: Doorbell,
): void {
  const [{ name } = { name: undefined }] = accountsOf(context, { database });
  const door = name === undefined ? "/doorbell" : `/doorbell/${name}`;
  const doors = name === only ? [door, "/doorbell"] : [door];
  if (doors.some((path) => new URL(url).pathname.endsWith(path))) return;
  context.note(
    `${url} does not end with ${door}: unless a proxy rewrites it, deliveries do not sync ${name ?? "this account"}.`,
  );
}

function requireDoorbell(context: Context): Doorbell {
  const { file } = configurationOf(context);
  const doorbell = file && readDoorbell(file);
  if (doorbell !== undefined) return doorbell;
  throw new UsageError(`--doorbell: ${file?.name ?? "calltally.yaml"} has no doorbell`, {
    hint: "Name the file of its secret there:\ndoorbell:\n  secret_file: secrets/doorbell",
  });
}

/**
 * Returns the change that has a webhook ring.
 *
 * @throws UsageError where nobody says what becomes of the static parameters that it has
 */
function toDoorbellChange(id: number, url: string, body: object, { secret }: Doorbell): WebhookChange {
  const rest = { ...body, webhook_endpoint: url, method: "POST", format: "JSON" };
  const { static_parameters: parameters } = checkWebhookChange(id, "PATCH", rest).body;
  if (parameters === undefined) {
    throw new UsageError(
      `Cannot add the secret to the static parameters of webhook ${id}: a change replaces the whole list, and what is in it cannot be read here`,
      {
        hint: "Repeat those to keep with --static-parameter name=value; without any, --clear-static-parameters.",
      },
    );
  }
  const others = parameters.filter(({ field_name }) => field_name !== SECRET_PARAMETER);
  const static_parameters = [...others, { field_name: SECRET_PARAMETER, field_value: secret }];
  return checkWebhookChange(id, "PATCH", { ...rest, static_parameters });
}

/** @param secret one that the body has, and that is taken out of the response */
async function send(
  context: Context,
  change: WebhookChange,
  { dryRun, json, ...flags }: SendFlags,
  secret?: string,
): Promise<void> {
  const settings = settingsOf(context, flags);
  if (dryRun) return context.print(describeRequest(change, settings));
  const response = await sendWebhookChange(
    settings.database,
    { ...toApiAccess(settings), secret },
    change,
    context.signal,
  );
  const done = `Webhook ${response.webhook_id} ${change.method === "PUT" ? "replaced" : "changed"}`;
  if (json) context.print(JSON.stringify(response));
  else context.tell(`${done}, request ${response.request_id ?? "unknown"}`);
}

function describeRequest({ id, method, body }: WebhookChange, { baseUrl }: Settings): string {
  const address = (baseUrl?.href ?? "{base_url}").replace(/\/+$/, "");
  return `${method} ${address}/v3/webhooks/${id}\n${JSON.stringify(maskSecrets(body), null, 2)}`;
}

async function readJson(file: string): Promise<object> {
  const content = file === "-" ? await buffer(process.stdin) : readFile(file);
  try {
    // Without a byte order mark; what is not UTF-8 would be sent in other letters than it has.
    const body: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(content));
    if (typeof body === "object" && body !== null && !Array.isArray(body)) return body;
  } catch {
    // The parser's message quotes the text, which may hold secrets.
  }
  throw new UsageError(`${file === "-" ? "Standard input" : file} is not a JSON object in UTF-8`);
}

function readFile(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new UsageError(`Cannot read the file of the webhook, ${file}: ${reasonOf(cause)}`);
  }
}

function parseParameter(given: string, others: { field_name: string; field_value: string }[] | undefined) {
  const [, field_name, field_value] = /^([^=]+)=(.*)$/s.exec(given) ?? [];
  if (field_name === undefined || field_value === undefined) {
    throw new InvalidArgumentError("must be written as name=value");
  }
  return [...(others ?? []), { field_name, field_value }];
}

function idArgument() {
  return new Argument("<id>", "id of the webhook").argParser((given: string): number => {
    if (/^\d{1,15}$/.test(given)) return Number(given);
    throw new InvalidArgumentError("must be a whole number");
  });
}
