import { createRoute, OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { BEARER_SECURITY, idParams, responsesOf } from "../contract.ts";
import { fail, type SandboxEnv, succeed } from "../sandbox-envelope.ts";
import { webhookChanges, webhookData, webhookReplacement } from "./webhook-schema.ts";
import type { SandboxWebhooks } from "./webhook-store.ts";

const COMMON = {
  path: "/v3/webhooks/{id}" as const,
  tags: ["Webhooks"],
  security: BEARER_SECURITY,
};

const EFFECTS =
  "The webhook must exist and not be in the deleted state. Updating does not interrupt delivery; an inactive webhook does not deliver.";

export const replaceWebhookRoute = createRoute({
  ...COMMON,
  method: "put",
  operationId: "updateWebhook",
  summary: "Update Webhook (full update)",
  description: `All required fields must be given even if unchanged. ${EFFECTS}`,
  request: {
    params: idParams,
    body: { required: true, content: { "application/json": { schema: webhookReplacement } } },
  },
  responses: responsesOf(webhookData, {
    200: "The webhook is updated.",
    400: "Request invalid: among others a missing required field, or an endpoint that is no HTTPS URL.",
    404: "The webhook does not exist, or is deleted.",
  }),
});

export const patchWebhookRoute = createRoute({
  ...COMMON,
  method: "patch",
  operationId: "partialUpdateWebhook",
  summary: "Partial Update Webhook",
  description: `At least one field must be given. ${EFFECTS}`,
  request: {
    params: idParams,
    body: { required: true, content: { "application/json": { schema: webhookChanges } } },
  },
  responses: responsesOf(webhookData, {
    200: "The webhook is updated.",
    400: "Request invalid: among others an empty body, or an endpoint that is no HTTPS URL.",
    404: "The webhook does not exist, or is deleted.",
  }),
});

interface WebhookOptions {
  /** A PUT keeps the optional members that it leaves out. */
  readonly putKeepsOmitted: boolean;
}

/** Update Webhook and Partial Update Webhook (API v3 §§ 4.3 and 4.4). */
export function webhookApp(
  webhooks: SandboxWebhooks,
  { putKeepsOmitted }: WebhookOptions,
): OpenAPIHono<SandboxEnv> {
  const respond = (context: Context<SandboxEnv>, id: number, isFound: boolean) =>
    isFound ? succeed(context, { webhookId: id }) : fail(context, 404, `Webhook ${id} not found`);

  return new OpenAPIHono<SandboxEnv>()
    .openapi(replaceWebhookRoute, (context) => {
      const { id } = context.req.valid("param");
      const { webhook_id = id, ...fields } = context.req.valid("json");
      if (webhook_id !== id) return fail(context, 400, `webhook_id: must be ${id}, as in the path`);
      return respond(
        context,
        id,
        putKeepsOmitted ? webhooks.update(id, fields) : webhooks.replace(id, fields),
      );
    })
    .openapi(patchWebhookRoute, (context) => {
      const { id } = context.req.valid("param");
      return respond(context, id, webhooks.update(id, context.req.valid("json")));
    });
}
