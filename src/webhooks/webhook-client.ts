import { z } from "zod";
import { assertId } from "../api/assert-id.ts";
import type { ApiClient, RequestOptions } from "../api/client.ts";
import { type Envelope, parseContract } from "../api/response-envelope.ts";
import { UsageError } from "../errors.ts";

const staticParameters = z.array(z.strictObject({ field_name: z.string(), field_value: z.string() }));

const fields = {
  webhook_name: z.string().min(1),
  webhook_endpoint: z.string().refine(isHttps, { error: "must be a valid https:// URL" }),
  description: z.string(),
  format: z.string().min(1),
  method: z.string().min(1),
  include_data_append: z.boolean(),
  include_dni_logs: z.boolean(),
  include_indicator_scores: z.boolean(),
  include_ivr_keypresses: z.boolean(),
  webhook_status: z.enum(["active", "inactive"]),
  static_parameters: staticParameters,
};

const patchSchema = z
  .strictObject(fields)
  .partial()
  .refine((changes) => Object.keys(changes).length > 0, { error: "at least one field must be given" });

const { webhook_name, webhook_endpoint, format, method, ...optional } = fields;
const replacementSchema = z
  .strictObject({ webhook_name, webhook_endpoint, format, method })
  .extend(z.object(optional).partial().shape);

/** The body of a full update (API v3 § 2.2, column "Required in PUT"). */
export type Webhook = z.infer<typeof replacementSchema>;
/** The body of a partial update: any of the same fields, at least one. */
export type WebhookChanges = z.infer<typeof patchSchema>;

/** Fields that a PUT may leave out. */
export const OPTIONAL_WEBHOOK_FIELDS = Object.keys(optional);

/** What the service sets itself, and nobody else. */
const SET_BY_SERVICE = ["webhook_id", "webhook_created", "webhook_updated"];

/** The response to a change. */
export interface WebhookResponse {
  webhook_id: number;
  request_id: string | null;
}

/**
 * Checks the body of a full update (API v3 § 4.3).
 *
 * @throws UsageError that names the field
 */
export function parseWebhook(body: unknown): Webhook {
  return check(replacementSchema, body);
}

/**
 * Checks the body of a partial update (API v3 § 4.4).
 *
 * @throws UsageError that names the field
 */
export function parseWebhookChanges(body: unknown): WebhookChanges {
  return check(patchSchema, body);
}

/**
 * Replaces a webhook's settings (API v3 § 4.3).
 *
 * @throws ApiError; with `outcomeUnknown` where the change may have been made all the same
 */
export async function replaceWebhook(
  client: ApiClient,
  id: number,
  webhook: Webhook,
  options: RequestOptions = {},
): Promise<WebhookResponse> {
  assertId(id, "a webhook");
  return await client.send("PUT", `/v3/webhooks/${id}`, parseWebhook(webhook), parseResponse, options);
}

/**
 * Changes some of a webhook's settings (API v3 § 4.4).
 *
 * @throws ApiError; with `outcomeUnknown` where the change may have been made all the same
 */
export async function patchWebhook(
  client: ApiClient,
  id: number,
  changes: WebhookChanges,
  options: RequestOptions = {},
): Promise<WebhookResponse> {
  assertId(id, "a webhook");
  return await client.send(
    "PATCH",
    `/v3/webhooks/${id}`,
    parseWebhookChanges(changes),
    parseResponse,
    options,
  );
}

function parseResponse({ data, request_id }: Envelope): WebhookResponse {
  const schema = z.object({ webhookId: z.int() });
  const { webhookId } = parseContract(schema, data, "The API response to the change is not as documented");
  return { webhook_id: webhookId, request_id: request_id ?? null };
}

function check<T>(schema: z.ZodType<T>, body: unknown): T {
  const refused = SET_BY_SERVICE.find((field) => typeof body === "object" && body !== null && field in body);
  if (refused !== undefined) {
    throw new UsageError(`Cannot send the webhook: ${refused} is set by the service and cannot be given`);
  }
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.length ? `${issue.path.join(".")}: ` : "";
  throw new UsageError(`Cannot send the webhook: ${path}${issue?.message ?? "unreadable"}`, {
    hint: `Required for a full update: webhook_name, webhook_endpoint, format, method. Optional: ${OPTIONAL_WEBHOOK_FIELDS.join(", ")}.`,
  });
}

function isHttps(endpoint: string): boolean {
  return URL.parse(endpoint)?.protocol === "https:" && endpoint.startsWith("https://");
}
