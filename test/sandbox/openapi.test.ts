import fc from "fast-check";
import { Pool } from "undici";
import { expect, test } from "vitest";
import { DNI_FIELDS, SERVED_FIELDS, TRANSCRIPT_COLUMNS } from "../../src/calls/columns.ts";
import committed from "../../src/sandbox/openapi.json" with { type: "json" };
import { startSandbox } from "../../src/sandbox/server.ts";
import { draws } from "../support/draws.ts";
import { calltally } from "../support/run.ts";
import { send } from "../support/services/requests.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { conformingRequests, sendMade } from "./openapi-requests.ts";

test("calltally sandbox --print-openapi prints the document and starts no server", async () => {
  using folder = makeTempFolder();
  const { code, stdout, stderr } = await calltally(["sandbox", "--print-openapi"], { cwd: folder.path });
  expect({ code, stderr, document: JSON.parse(stdout) }).toEqual({
    code: 0,
    stderr: "",
    document: committed,
  });
});

test("every request that conforms to the document is accepted, with a response that conforms", async () => {
  await using sandbox = await startSandbox({ calls: 40, insertEvery: 50, deleteEvery: 60 });
  await using stack = new AsyncDisposableStack();
  const client = stack.adopt(new Pool(sandbox.url, { connections: 2 }), (pool) => pool.destroy());
  const idsOf = (path: string) => (path.includes("webhooks") ? [44, 45] : sandbox.insights.ids);
  await fc.assert(
    fc.asyncProperty(conformingRequests(idsOf), async (made) => {
      const { statusCode, body } = await sendMade(client, made, sandbox.token);
      const received = await body.json();
      expect({ statusCode, received }).toMatchObject({ statusCode: made.isThere ? 200 : 404 });
      expect(made.schemaFor(statusCode)?.safeParse(received).error).toBeUndefined();
    }),
    { numRuns: draws(400) },
  );
});

test("openapi.json has every member of a call, and no other", () => {
  const { AttributedCall, DniData } = committed.components.schemas;
  const members = [...SERVED_FIELDS, "dni_data", ...TRANSCRIPT_COLUMNS];
  expect(new Set(Object.keys(AttributedCall.properties))).toEqual(new Set(members));
  expect(Object.keys(DniData.properties)).toEqual(DNI_FIELDS);
});

test("openapi.json has the bounds, defaults and values of the API's document and of the sandbox", () => {
  const parameters = committed.paths["/v3/conversations/attribution-engine"].get.parameters.map(
    ({ name, in: place, required, schema: { description: _, ...schema } }) => {
      return { name, place, required, schema };
    },
  );
  const query = { place: "query", required: false };
  const whole = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
  const keys = ["source_name", "total_calls", "conversion_rate", "roi", "cost_per_conversion"];
  expect(parameters).toEqual([
    { ...query, name: "limit", schema: { type: "integer", default: 100, minimum: 1, maximum: 1000 } },
    { ...query, name: "offset", schema: { ...whole, default: 0 } },
    { ...query, name: "sort_by", schema: { type: "string", enum: keys } },
    { ...query, name: "sort_order", schema: { type: "string", enum: ["asc", "desc"], default: "desc" } },
    { ...query, name: "org_unit_id", schema: {} },
  ]);

  const enums = JSON.stringify(committed.components.schemas).match(/"enum":\[[^\]]*\]/g);
  expect(new Set(enums)).toEqual(new Set(['"enum":["active","inactive"]']));
  const { WebhookReplacement, WebhookChanges } = committed.components.schemas;
  expect(WebhookReplacement.required).toEqual(["webhook_name", "webhook_endpoint", "format", "method"]);
  expect(WebhookChanges.minProperties).toBe(1);
});

test("openapi.json lists the statuses of each operation, and the sandbox serves each path", async () => {
  await using sandbox = await startSandbox({ calls: 0 });
  const statuses: Record<string, string> = {};
  for (const [path, operations] of Object.entries(committed.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      statuses[`${method} ${path}`] = Object.keys(operation.responses).join();
      const answer = await send(sandbox, method.toUpperCase(), path.replace("{id}", "x"));
      expect([200, 400]).toContain(answer.status);
    }
  }
  expect(statuses).toEqual({
    "get /v3/conversations/attribution-engine": "200,400,401,500",
    "get /v3/insights/{id}": "200,400,401,404,500",
    "put /v3/webhooks/{id}": "200,400,401,404,500",
    "patch /v3/webhooks/{id}": "200,400,401,404,500",
  });
});
