import { ApiError } from "../api/api-errors.ts";
import { type ApiAccess, ApiClient } from "../api/client.ts";
import { describeError } from "../errors.ts";
import { openWarehouse } from "../warehouse/open.ts";
import { assertOrigin } from "../warehouse/origin.ts";
import { recordWebhookChange, recordWebhookOutcome } from "../warehouse/webhook-change-table.ts";
import {
  parseWebhook,
  parseWebhookChanges,
  patchWebhook,
  replaceWebhook,
  type Webhook,
  type WebhookChanges,
  type WebhookResponse,
} from "./webhook-client.ts";

/** A change of a webhook, checked and ready to be sent. */
export type WebhookChange = { id: number } & (
  | { method: "PUT"; body: Webhook }
  | { method: "PATCH"; body: WebhookChanges }
);

/** Names of static parameters whose values are not shown, logged or kept. */
const SECRET_NAME = /secret|token|passw|key|auth|credential|signature|private/i;

/**
 * Checks a change of a webhook.
 *
 * @throws UsageError that names the field
 */
export function checkWebhookChange(id: number, method: "PUT" | "PATCH", body: unknown): WebhookChange {
  return method === "PUT"
    ? { id, method, body: parseWebhook(body) }
    : { id, method, body: parseWebhookChanges(body) };
}

/** Returns the body of a change as it may be shown. */
export function maskSecrets(body: WebhookChange["body"]): WebhookChange["body"] {
  if (body.static_parameters === undefined) return body;
  const static_parameters = body.static_parameters.map((parameter) =>
    SECRET_NAME.test(parameter.field_name) ? { ...parameter, field_value: "[hidden]" } : parameter,
  );
  return { ...body, static_parameters };
}

/**
 * Sends a change and records it in the warehouse: before it is sent, so that it is known even if this process is killed,
 * and again with its response.
 *
 * @throws UsageError where the warehouse is a copy of another service; nothing was sent
 * @throws ApiError; with `outcomeUnknown` where the change may have been made all the same
 */
export async function sendWebhookChange(
  database: string,
  api: ApiAccess,
  change: WebhookChange,
  signal: AbortSignal,
): Promise<WebhookResponse> {
  await using client = new ApiClient(api);
  using warehouse = openWarehouse(database);
  assertOrigin(warehouse, api);
  const changeId = recordWebhookChange(warehouse, {
    webhook_id: change.id,
    sent_at: new Date().toISOString(),
    method: change.method,
    body: JSON.stringify(maskSecrets(change.body)),
  });
  try {
    const response =
      change.method === "PUT"
        ? await replaceWebhook(client, change.id, change.body, { signal })
        : await patchWebhook(client, change.id, change.body, { signal });
    const { request_id } = response;
    recordWebhookOutcome(warehouse, changeId, {
      outcome: "done",
      answer: JSON.stringify(response),
      request_id,
    });
    return response;
  } catch (error) {
    const isKnown = error instanceof ApiError && !error.outcomeUnknown;
    recordWebhookOutcome(warehouse, changeId, {
      outcome: isKnown ? "refused" : "unknown",
      answer: describeError(error),
      request_id: error instanceof ApiError ? (error.requestId ?? null) : null,
    });
    throw error;
  }
}
