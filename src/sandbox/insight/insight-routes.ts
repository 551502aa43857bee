import { createRoute, OpenAPIHono } from "@hono/zod-openapi";
import { BEARER_SECURITY, idParams, responsesOf } from "../contract.ts";
import { fail, type SandboxEnv, succeed } from "../sandbox-envelope.ts";
import { insightData } from "./insight-schema.ts";
import type { SandboxInsights } from "./insight-store.ts";

export const insightRoute = createRoute({
  method: "get",
  path: "/v3/insights/{id}",
  operationId: "getInsightDetails",
  tags: ["Insights"],
  summary: "Get Insight Details",
  description:
    "Reads the full details of one insight: a scoring or detection rule applied to calls. Not documented: what becomes of a deleted insight. The sandbox shows it, with its deleted_at.",
  security: BEARER_SECURITY,
  request: { params: idParams },
  responses: responsesOf(insightData, {
    200: "The insight.",
    400: "Request invalid.",
    404: "The insight does not exist.",
  }),
});

/** Get Insight Details (API v3 § 4.1). */
export function insightApp(insights: SandboxInsights): OpenAPIHono<SandboxEnv> {
  return new OpenAPIHono<SandboxEnv>().openapi(insightRoute, (context) => {
    const { id } = context.req.valid("param");
    const insight = insights.get(id);
    return insight ? succeed(context, insight) : fail(context, 404, `Insight ${id} not found`);
  });
}
