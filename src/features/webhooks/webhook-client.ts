import { z } from "zod";
import { UsageError } from "../../base/errors.ts";
import { contractError } from "../../service/api/api-errors.ts";
import type { ApiClient, RequestOptions } from "../../service/api/client.ts";
import { type Envelope, parseContract } from "../../service/api/response-envelope.ts";

/** A method name (RFC 9110 § 5.6.2): the document shows GET, and leaves open which others the service takes. */
const METHOD = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;

/** Requests with these methods have no body (RFC 9110 § 9.3.6 and 9.3.8): no call can be delivered with them. */
const WITHOUT_BODY = /^(CONNECT|TRACE)$/i;

const staticParameters = z.array(z.strictObject({ field_name: z.string(), field_value: z.string() }));

const fields = {
  webhook_name: z.string().min(1, { error: "must not be empty" }),
  webhook_endpoint: z.string().refine(isHttpsUrl, { error: "must be a valid https:// URL" }),
  description: z.string(),
  // The document shows only JSON, and the sandbox accepts only that; others may exist.
  format: z.string().regex(/^\S(.*\S)?$/, { error: "must not be empty, nor have white space around it" }),
  method: z
    .string()
    .regex(METHOD, { error: "must be the name of an HTTP method, such as GET" })
    .refine((method) => !WITHOUT_BODY.test(method), {
      error: "must be a method that can carry a call, such as POST",
    }),
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
const required = { webhook_name, webhook_endpoint, format, method };
const replacementSchema = z
  .strictObject({ webhook_id: z.int().optional(), ...required })
  .extend(z.object(optional).partial().shape);

/** The body of a full update (API v3 § 2.2, column "Required in PUT"). */
export type Webhook = z.infer<typeof replacementSchema>;
/** The body of a partial update: at least one of the same fields. */
export type WebhookChanges = z.infer<typeof patchSchema>;

/** Fields that a PUT may leave out. */
export const OPTIONAL_WEBHOOK_FIELDS = Object.keys(optional);

/** Set only by the service. */
const SET_BY_SERVICE = ["webhook_created", "webhook_updated"];

export interface WebhookResponse {
  webhook_id: number;
  request_id: string | null;
}

/** A checked change of a webhook. */
export type WebhookChange = { id: number } & (
  | { method: "PUT"; body: Webhook }
  | { method: "PATCH"; body: WebhookChanges }
);

/**
 * Checks a change of a webhook (API v3 §§ 4.3, 4.4). A full update may contain its own `webhook_id`; the effect of
 * one in a partial update is undocumented.
 * @throws UsageError that names the field
 */
export function checkWebhookChange(id: number, method: "PUT" | "PATCH", body: unknown): WebhookChange {
  if (method === "PATCH") {
    const hint = `Give at least one of ${Object.keys(fields).join(", ")}.`;
    return { id, method, body: check(patchSchema, ["webhook_id", ...SET_BY_SERVICE], body, hint) };
  }
  const hint = `Give all of ${Object.keys(required).join(", ")} for a full update; optional are ${OPTIONAL_WEBHOOK_FIELDS.join(", ")}.`;
  const webhook = check(replacementSchema, SET_BY_SERVICE, body, hint);
  const { webhook_id = id } = webhook;
  if (webhook_id === id) return { id, method, body: webhook };
  throw new UsageError(
    `Cannot send the webhook: webhook_id is ${webhook_id}, but the webhook to replace is ${id}`,
    { hint: "The id of a webhook cannot be changed. Correct one of them, or leave it out of the body." },
  );
}

const responseSchema = z.object({ webhookId: z.int() });

/**
 * Changes the settings of a webhook (API v3 §§ 4.3, 4.4).
 * @throws ApiError; with `outcomeUnknown` if the change may have been made
 */
export async function changeWebhook(
  client: ApiClient,
  { id, method, body }: WebhookChange,
  options: RequestOptions = {},
): Promise<WebhookResponse> {
  const parse = ({ data, request_id }: Envelope): WebhookResponse => {
    const what = "The API response to the change is not as documented";
    const { webhookId } = parseContract(responseSchema, data, what);
    const requestId = request_id ?? undefined;
    if (webhookId !== id)
      throw contractError(`The API responded for webhook ${webhookId}, not ${id}`, { requestId });
    return { webhook_id: webhookId, request_id: requestId ?? null };
  };
  const refusedHints = {
    400: "Correct what the service names, and send the change again.",
    404: "The service has no webhook with this id, or it is deleted: look up the id in the service's portal.",
  };
  return await client.send(method, `/v3/webhooks/${id}`, body, { parse, refusedHints }, options);
}

function check<T>(schema: z.ZodType<T>, notGiven: readonly string[], body: unknown, hint: string): T {
  const refused = notGiven.find((field) => typeof body === "object" && body !== null && field in body);
  if (refused !== undefined) {
    throw new UsageError(`Cannot send the webhook: ${refused} is set by the service and cannot be given`, {
      hint: "Leave it out of the body.",
    });
  }
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.length ? `${issue.path.join(".")}: ` : "";
  throw new UsageError(`Cannot send the webhook: ${path}${issue?.message ?? "unreadable"}`, { hint });
}

/** A standard URL parser accepts more: it skips slashes, strips white space, and converts backslashes. */
function isHttpsUrl(endpoint: string): boolean {
  if (!/^https:\/\/[^/?#]/i.test(endpoint) || /[\s\p{Cc}\\]/u.test(endpoint)) return false;
  const labels = URL.parse(endpoint)?.hostname.replace(/\.$/, "").split(".");
  return labels !== undefined && !labels.includes("");
}
