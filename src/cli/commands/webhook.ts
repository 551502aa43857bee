import { Command } from "@commander-js/extra-typings";
import { UsageError } from "../../base/errors.ts";
import { toApiAccess } from "../../config/api-access.ts";
import { type Doorbell, readDoorbell } from "../../config/doorbell.ts";
import type { Settings } from "../../config/load-settings.ts";
import {
  checkWebhookChange,
  maskSecrets,
  sendWebhookChange,
  type WebhookChange,
} from "../../webhooks/change-webhook.ts";
import { toDoorbellChange } from "../../webhooks/doorbell-change.ts";
import { OPTIONAL_WEBHOOK_FIELDS } from "../../webhooks/webhook-client.ts";
import { configurationOf, onlyAccountOf, settingsOf } from "../chosen-accounts.ts";
import type { Context } from "../context.ts";
import { action, note, type Result } from "../frame.ts";
import { readJson } from "../json-file.ts";
import { declarePatch, declareReplace, toChanges } from "../webhook-options.ts";

export const command = (context: Context) =>
  new Command("webhook")
    .description(
      "Changes webhooks at the service; each change is recorded in the warehouse table webhook_changes.",
    )
    .addHelpText("after", "\nExample:\n  $ calltally webhook patch 44 --status inactive --dry-run")
    .addCommand(replaceCommand(context))
    .addCommand(patchCommand(context));

const replaceCommand = (context: Context) =>
  declareReplace().action(
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

function notesOnReplacing({ body }: WebhookChange): string[] {
  const leftOut = OPTIONAL_WEBHOOK_FIELDS.filter((field) => !(field in body));
  const emptied = leftOut.filter((field) => field !== "webhook_status");
  return [
    ...(emptied.length > 0
      ? [
          `Left out of the body: ${emptied.join(", ")}.`,
          "Our reading of a full update: they become empty or false; the API's documentation does not say.",
        ]
      : []),
    ...(leftOut.includes("webhook_status")
      ? ["webhook_status is left out of the body, and keeps its value."]
      : []),
    ...(body.static_parameters ? ["static_parameters replaces the stored list whole."] : []),
  ];
}

/** A proxy may rewrite paths, so that a door of another account is no error. */
function notesOnDoor(url: string, name: string | undefined, { account: only }: Doorbell): string[] {
  const door = name === undefined ? "/doorbell" : `/doorbell/${name}`;
  const doors = name === only ? [door, "/doorbell"] : [door];
  if (doors.some((path) => new URL(url).pathname.endsWith(path))) return [];
  return [
    `${url} does not end with ${door}: unless a proxy rewrites it, deliveries do not sync ${name ?? "this account"}.`,
  ];
}

function requireDoorbell(context: Context): Doorbell {
  const { file } = configurationOf(context);
  const doorbell = file && readDoorbell(file);
  if (doorbell !== undefined) return doorbell;
  throw new UsageError(`--doorbell: ${file?.name ?? "calltally.yaml"} has no doorbell`, {
    hint: "Name the file of its secret there:\ndoorbell:\n  secret_file: secrets/doorbell",
  });
}

/** @param secret one that the body has, and that is taken out of the response */
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

function describeRequest({ id, method, body }: WebhookChange, { baseUrl }: Settings): string {
  const address = (baseUrl?.href ?? "{base_url}").replace(/\/+$/, "");
  return `${method} ${address}/v3/webhooks/${id}\n${JSON.stringify(maskSecrets(body), null, 2)}`;
}
