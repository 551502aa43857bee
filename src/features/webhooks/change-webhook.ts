import { eq } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { describeError, UsageError } from "../../base/errors.ts";
import { type Doorbell, SECRET_PARAMETER } from "../../config/doorbell.ts";
import { ApiError } from "../../service/api/api-errors.ts";
import { type ApiAccess, ApiClient } from "../../service/api/client.ts";
import { createRedactor } from "../../service/api/redact-token.ts";
import { about, describeTable } from "../../warehouse/described.ts";
import { openExistingWarehouse } from "../../warehouse/file/open.ts";
import { assertAccount } from "../../warehouse/origin.ts";
import {
  changeWebhook,
  checkWebhookChange,
  type WebhookChange,
  type WebhookResponse,
} from "./webhook-client.ts";

export const webhook_changes = sqliteTable("webhook_changes", {
  change_id: about(integer().primaryKey({ autoIncrement: true }), "Id of the change."),
  webhook_id: about(integer().notNull(), "The webhook that was changed."),
  sent_at: about(text().notNull(), "When it was sent, ISO 8601 UTC."),
  method: about(text({ enum: ["PUT", "PATCH"] }).notNull(), "PUT or PATCH."),
  body: about(text().notNull(), "JSON object as sent, with secret-looking static parameters masked.", "text"),
  outcome: about(
    text({ enum: ["sent", "done", "refused", "unknown"] }).notNull(),
    "sent: no response yet, or the process was killed. done, refused, or unknown: it may have been made.",
  ),
  answer: about(text(), "The service's response, or the error.", "text"),
  request_id: about(text(), "The service's own identifier of the request."),
});
export const WEBHOOK_CHANGES = describeTable(webhook_changes, "Webhook changes made by calltally.");

/** Replaces secret values. */
const HIDDEN = "[hidden]";
/** Parameter names whose values are not shown, logged or stored. */
const SECRET_NAME = /secret|token|passw|key|auth|credential|signature|private/i;

/**
 * Returns the change that makes a webhook ring the doorbell of `calltally schedule`.
 * @param body other changes
 * @throws UsageError if it does not say which static parameters the webhook keeps
 */
export function toDoorbellChange(id: number, url: string, body: object, { secret }: Doorbell): WebhookChange {
  const rest = { ...body, webhook_endpoint: url, method: "POST", format: "JSON" };
  const { static_parameters: parameters } = checkWebhookChange(id, "PATCH", rest).body;
  if (parameters === undefined) {
    throw new UsageError(
      `Cannot add the secret to the static parameters of webhook ${id}: a change replaces the whole list, which cannot be read here`,
      {
        hint: "Repeat those to keep with --static-parameter name=value; without any, --clear-static-parameters.",
      },
    );
  }
  const others = parameters.filter(({ field_name }) => field_name !== SECRET_PARAMETER);
  const static_parameters = [...others, { field_name: SECRET_PARAMETER, field_value: secret }];
  return checkWebhookChange(id, "PATCH", { ...rest, static_parameters });
}

/** Returns the body of a change for display and storage. */
export function maskSecrets(body: WebhookChange["body"]): WebhookChange["body"] {
  const { static_parameters, webhook_endpoint } = body;
  return {
    ...body,
    ...(webhook_endpoint !== undefined && { webhook_endpoint: maskEndpoint(webhook_endpoint) }),
    ...(static_parameters !== undefined && {
      static_parameters: static_parameters.map((parameter) =>
        SECRET_NAME.test(parameter.field_name) ? { ...parameter, field_value: HIDDEN } : parameter,
      ),
    }),
  };
}

/** An address may contain a password, a key as its user name, or a secret in its query; others stay unchanged. */
function maskEndpoint(endpoint: string): string {
  const url = new URL(endpoint);
  const secrets = [...url.searchParams.keys()].filter((name) => SECRET_NAME.test(name));
  if (url.username + url.password === "" && secrets.length === 0) return endpoint;
  if (url.password !== "") url.password = HIDDEN;
  // Services such as Stripe take a key as the user name of an empty password.
  else if (url.username !== "") url.username = HIDDEN;
  for (const name of secrets) url.searchParams.set(name, HIDDEN);
  return url.href.replaceAll(encodeURIComponent(HIDDEN), HIDDEN);
}

/**
 * Sends a change and records it before, so that it is known even if this process is killed, and again with the
 * response.
 * @throws UsageError if the warehouse is a copy of another service; nothing was sent
 * @throws ApiError; with `outcomeUnknown` if the change may have been made
 */
export async function sendWebhookChange(
  database: string,
  api: ApiAccess,
  change: WebhookChange,
  signal: AbortSignal,
): Promise<WebhookResponse> {
  await using client = new ApiClient(api);
  using warehouse = openExistingWarehouse(database);
  assertAccount(warehouse, api);
  const { db } = warehouse;
  const { change_id } = webhook_changes;
  const sent = Buffer.from(JSON.stringify(maskSecrets(change.body)));
  const values = {
    webhook_id: change.id,
    sent_at: new Date().toISOString(),
    method: change.method,
    body: createRedactor(api.token)(sent).toString(),
    outcome: "sent",
  } as const;
  const recorded = db.insert(webhook_changes).values(values).returning({ change_id }).get();
  const record = (outcome: Partial<typeof webhook_changes.$inferInsert>) =>
    db.update(webhook_changes).set(outcome).where(eq(change_id, recorded.change_id)).run();
  try {
    const response = await changeWebhook(client, change, { signal });
    record({ outcome: "done", answer: JSON.stringify(response), request_id: response.request_id });
    return response;
  } catch (error) {
    const isKnown = error instanceof ApiError && !error.outcomeUnknown;
    record({
      outcome: isKnown ? "refused" : "unknown",
      answer: describeError(error),
      request_id: error instanceof ApiError ? (error.requestId ?? null) : null,
    });
    throw error;
  }
}
