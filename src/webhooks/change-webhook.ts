import { ApiError } from "../api/api-errors.ts";
import { type ApiAccess, ApiClient } from "../api/client.ts";
import { createRedactor } from "../api/redact-token.ts";
import { describeError } from "../base/errors.ts";
import { openWarehouse } from "../warehouse/open.ts";
import { assertAccount } from "../warehouse/origin.ts";
import { recordWebhookChange, recordWebhookOutcome } from "./webhook-change-table.ts";
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

/** What stands for a value that is a secret. */
const HIDDEN = "[hidden]";
/** Names of static parameters, and of parameters of an endpoint, whose values are not shown, logged or kept. */
const SECRET_NAME = /secret|token|passw|key|auth|credential|signature|private/i;

/**
 * Checks a change of a webhook.
 *
 * @throws UsageError that names the field
 */
export function checkWebhookChange(id: number, method: "PUT" | "PATCH", body: unknown): WebhookChange {
  return method === "PUT"
    ? { id, method, body: parseWebhook(id, body) }
    : { id, method, body: parseWebhookChanges(body) };
}

/** Returns the body of a change as it may be shown and kept. */
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

/** An address may hold a password, or a secret in its query; one without stays as it was given. */
function maskEndpoint(endpoint: string): string {
  const url = new URL(endpoint);
  const secrets = [...url.searchParams.keys()].filter((name) => SECRET_NAME.test(name));
  if (url.password === "" && secrets.length === 0) return endpoint;
  if (url.password !== "") url.password = HIDDEN;
  for (const name of secrets) url.searchParams.set(name, HIDDEN);
  return url.href.replaceAll(encodeURIComponent(HIDDEN), HIDDEN);
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
  assertAccount(warehouse, api);
  const sent = Buffer.from(JSON.stringify(maskSecrets(change.body)));
  const changeId = recordWebhookChange(warehouse, {
    webhook_id: change.id,
    sent_at: new Date().toISOString(),
    method: change.method,
    body: createRedactor(api.token)(sent).toString(),
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
