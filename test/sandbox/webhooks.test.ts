import { describe, expect, test } from "vitest";
import { startSandbox } from "../../src/sandbox/server.ts";
import { ENDPOINT_CASES } from "../support/services/endpoint-cases.ts";
import { METHOD_CASES } from "../support/services/method-cases.ts";
import { send } from "../support/services/requests.ts";

const NOW = new Date("2026-11-20T15:00:00.000Z");
const ACTIVE = "/v3/webhooks/44";
const DELETED = "/v3/webhooks/46";

const start = () => startSandbox({ calls: 0, now: NOW });

const REQUIRED = {
  webhook_name: "New name",
  webhook_endpoint: "https://hooks.example/new",
  format: "JSON",
  method: "PUT",
};

const ALL = {
  ...REQUIRED,
  description: "New description",
  include_data_append: false,
  include_dni_logs: false,
  include_indicator_scores: false,
  include_ivr_keypresses: true,
  webhook_status: "inactive",
  static_parameters: [{ field_name: "k", field_value: "v" }],
};

describe("PUT webhooks/{id}", () => {
  test("accepts only the webhook_id of the path", async () => {
    await using sandbox = await start();
    const { webhook_created: _created, webhook_updated: _updated, ...read } = { ...sandbox.webhooks.get(44) };

    expect(await send(sandbox, "PUT", ACTIVE, read)).toMatchObject({ status: 200, data: { webhookId: 44 } });
    expect(sandbox.webhooks.get(44)).toMatchObject(read);
    for (const webhook_id of [45, 4.4, "44", null]) {
      const { status, message } = await send(sandbox, "PUT", ACTIVE, { ...ALL, webhook_id });
      expect({ status, message }).toEqual({ status: 400, message: expect.stringContaining("webhook_id: ") });
    }
    expect(sandbox.webhooks.get(44)).toMatchObject(read);
  });

  test("keeps omitted optional fields with putKeepsOmitted", async () => {
    await using sandbox = await startSandbox({ calls: 0, now: NOW, putKeepsOmitted: true });
    const before = sandbox.webhooks.get(44);

    expect((await send(sandbox, "PUT", ACTIVE, REQUIRED)).status).toBe(200);

    expect(sandbox.webhooks.get(44)).toStrictEqual({
      ...before,
      ...REQUIRED,
      webhook_updated: NOW.toISOString(),
    });
  });
});

describe("PATCH webhooks/{id}", () => {
  test.for(ENDPOINT_CASES)("accepts the endpoint $url: $isTaken", async ({ url, isTaken }) => {
    await using sandbox = await start();
    const { status } = await send(sandbox, "PATCH", ACTIVE, { webhook_endpoint: url });
    expect(status).toBe(isTaken ? 200 : 400);
    expect(sandbox.webhooks.get(44)?.webhook_endpoint === url).toBe(isTaken);
  });

  test.for(METHOD_CASES)("accepts the method $method: $isTaken", async ({ method, isTaken }) => {
    await using sandbox = await start();
    const { status } = await send(sandbox, "PATCH", ACTIVE, { method });
    expect(status).toBe(isTaken ? 200 : 400);
  });
});

describe("PUT and PATCH with invalid input", () => {
  const BAD = [
    { webhook_name: null },
    { webhook_name: "" },
    { description: 1 },
    { format: "" },
    { format: "XML" },
    { format: "JSONP" },
    { method: "GET it" },
    { include_dni_logs: "true" },
    { webhook_status: "deleted" },
    { webhook_status: "" },
    { static_parameters: { a: "b" } },
    { static_parameters: [{ field_name: "a" }] },
    { static_parameters: [{ field_name: "a", field_value: 1 }] },
    { static_parameters: [{ field_name: "a", field_value: "b", more: "c" }] },
    { webhook_id: 45 },
    { webhook_created: "2020-01-01T00:00:00.000Z" },
    { webhook_updated: "2020-01-01T00:00:00.000Z" },
    { made_up: true },
  ];

  test.for(BAD.map((members) => [JSON.stringify(members), members] as const))(
    "respond with 400 to %s",
    async ([_, members]) => {
      await using sandbox = await start();
      const before = sandbox.webhooks.ids.map((id) => sandbox.webhooks.get(id));

      for (const method of ["PUT", "PATCH"]) {
        const { status, message } = await send(sandbox, method, ACTIVE, { ...REQUIRED, ...members });
        expect(status).toBe(400);
        expect(message).toContain(Object.keys(members)[0]);
      }
      expect(sandbox.webhooks.ids.map((id) => sandbox.webhooks.get(id))).toEqual(before);
    },
  );

  test.for([
    ["no body", undefined, "application/json"],
    ["broken JSON", "{", "application/json"],
    ["an array", "[]", "application/json"],
    ["null", "null", "application/json"],
    ["an empty object", "{}", "application/json"],
    ["a __proto__", '{"description":"a","__proto__":{}}', "application/json"],
    ["another content type", JSON.stringify(ALL), "text/plain"],
    ["a body too large", JSON.stringify({ ...ALL, description: "x".repeat(1_000_000) }), "application/json"],
  ] as const)("respond with 400 to the body: %s", async ([_, body, contentType]) => {
    await using sandbox = await start();
    const headers = { authorization: `Bearer ${sandbox.token}`, "content-type": contentType };
    for (const method of ["PUT", "PATCH"]) {
      const init = { method, headers, ...(body !== undefined && { body }) };
      expect((await fetch(`${sandbox.url}${ACTIVE}`, init)).status).toBe(400);
    }
  });

  test("respond with 400 to an id that is not a whole number", async () => {
    await using sandbox = await start();
    expect(await send(sandbox, "PUT", "/v3/webhooks/x", ALL)).toMatchObject({ status: 400 });
    expect(await send(sandbox, "PATCH", "/v3/webhooks/4.4", ALL)).toMatchObject({ status: 400 });
  });
});

describe("PUT and PATCH", () => {
  test("respond with 401 without the token unless the body is too large, and with 405 to other methods", async () => {
    await using sandbox = await start();
    const tooLarge = { method: "PUT", body: " ".repeat(1_000_001) };
    expect((await fetch(`${sandbox.url}${ACTIVE}`, tooLarge)).status).toBe(400);
    expect((await fetch(`${sandbox.url}/v3/webhooks/x`, { method: "PUT", body: "{" })).status).toBe(401);
    expect((await fetch(`${sandbox.url}${DELETED}`, { method: "PATCH" })).status).toBe(401);
    for (const method of ["GET", "POST", "DELETE"])
      expect((await send(sandbox, method, ACTIVE)).status).toBe(405);
  });
});

test("Sandbox.webhooks.edit changes a webhook without the API, and nothing else", async () => {
  await using sandbox = await start();
  const before = sandbox.webhooks.get(45);

  sandbox.webhooks.edit(45, { webhook_status: "deleted" });

  expect(sandbox.webhooks.get(45)).toEqual({ ...before, webhook_status: "deleted" });
  expect((await send(sandbox, "PATCH", "/v3/webhooks/45", ALL)).status).toBe(404);
  expect(() => sandbox.webhooks.edit(999, {})).toThrow("Cannot edit webhook 999");
  expect(() => sandbox.webhooks.edit(44, { webhook_endpoint: "http://a.example" })).toThrow("HTTPS");
});
