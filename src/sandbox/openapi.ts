import { OpenAPIHono } from "@hono/zod-openapi";
import { attributionRoute } from "./calls/attribution-routes.ts";
import { BEARER_NAME } from "./contract.ts";
import { insightRoute } from "./insight/insight-routes.ts";
import { patchWebhookRoute, replaceWebhookRoute } from "./webhook/webhook-routes.ts";

const ROUTES = [attributionRoute, insightRoute, replaceWebhookRoute, patchWebhookRoute];

const DESCRIPTION = `Four operations of a call-tracking and conversation-analytics platform. Other operations exist.

Made from the schemas of calltally's sandbox. Where a description says "Not documented", the API's document leaves the point open, and what the sandbox does there is its own choice.

- Not documented: the shape of an error's body. The sandbox's has code, message, request_id and timestamp.
- Not documented: which status is returned when several apply. The sandbox returns 401 first, then 400, then 404; but 400 before all of them for a body that it does not read to its end.
- Not documented: how tokens are obtained, their lifetime and their scopes.
- Not documented: rate limits and the size limits of fields. The sandbox returns 400 for a body of more than 1 MB, or nested deeper than 100 levels.
- Not documented: the events webhooks deliver, their payload, retries and signing. The sandbox sends each webhook a small event of its own when a call is added, once, with no retry, within two seconds, as JSON, with the static parameters as a list of their pairs. It looks up the webhook when it sends; the events of an inactive one are held, the first 1000 of them, until it is active again.
- The bounds in the schemas are those that the sandbox keeps, with a 400 beyond them. Where the API's document does not have one, the description says so.

The V2 interface and its authentication are deprecated.`;

/** Returns the OpenAPI 3.1 document of the operations, made from the schemas that the sandbox checks with. */
export function openApiDocument() {
  const { openAPIRegistry, getOpenAPI31Document } = new OpenAPIHono();
  for (const route of ROUTES) openAPIRegistry.registerPath(route);
  openAPIRegistry.registerComponent("securitySchemes", BEARER_NAME, {
    type: "http",
    scheme: "bearer",
    description: "Authorization: Bearer <ACCESS_TOKEN>",
  });
  return getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Call Analytics Platform API: Insights, Marketing Attribution and Webhooks",
      version: "3",
      description: DESCRIPTION,
      license: { name: "MIT", url: "https://opensource.org/license/mit" },
    },
    servers: [
      {
        url: "{base_url}",
        description: "The version is part of each path.",
        variables: { base_url: { default: "http://127.0.0.1:8787", description: "Base address." } },
      },
    ],
    tags: [
      { name: "Conversation", description: "Calls and their marketing attribution." },
      { name: "Insights", description: "Scoring and detection rules applied to calls." },
      { name: "Webhooks", description: "Where events are delivered." },
    ],
  });
}
