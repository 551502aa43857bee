import { Command } from "@commander-js/extra-typings";
import { UsageError } from "../../base/errors.ts";
import { toApiAccess } from "../../config/api-access.ts";
import { type Doorbell, readDoorbell } from "../../config/doorbell.ts";
import { sendWebhookChange, toDoorbellChange } from "../../webhooks/change-webhook.ts";
import { checkWebhookChange, type WebhookChange } from "../../webhooks/webhook-client.ts";
import { configurationOf, onlyAccountOf, settingsOf } from "../chosen-accounts.ts";
import type { Context } from "../context.ts";
import { action, note, type Result } from "../frame.ts";
import { readJson } from "../json-file.ts";
import { describeRequest, notesOnDoor, notesOnReplacing } from "../terminal/webhook-text.ts";
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
