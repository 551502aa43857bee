import { describe, expect, it } from "vitest";
import { changeWebhook, checkWebhookChange } from "../../../src/features/webhooks/webhook-client.ts";
import { ApiClient } from "../../../src/service/api/client.ts";
import { MAX_BODY_BYTES } from "../../../src/service/api/response-body.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { ENDPOINT_CASES } from "../../support/services/endpoint-cases.ts";
import { METHOD_CASES } from "../../support/services/method-cases.ts";
import { type Answer, gzip, json, reset, startServer, text } from "../../support/services/server.ts";

const WEBHOOK = {
  webhook_name: "CRM",
  webhook_endpoint: "https://crm.example.com/in",
  format: "JSON",
  method: "POST",
};
const changed = json({
  code: 200,
  message: "Success",
  data: { webhookId: 44 },
  request_id: "r-1",
  timestamp: "t",
});

const clientOf = (baseUrl: URL) =>
  new ApiClient({ baseUrl, token: "secret-token-4711", clock: new FakeClock(), random: () => 0 });

const replaceWebhook = (client: ApiClient, id: number, body: object) =>
  changeWebhook(client, checkWebhookChange(id, "PUT", body));
const patchWebhook = (client: ApiClient, id: number, body: object) =>
  changeWebhook(client, checkWebhookChange(id, "PATCH", body));

describe("changeWebhook with PUT and PATCH", () => {
  it("send the body as JSON to the webhook's address, and return its id and the request id", async () => {
    await using server = await startServer(changed);
    await using client = clientOf(server.url);
    expect(await replaceWebhook(client, 44, WEBHOOK)).toEqual({ webhook_id: 44, request_id: "r-1" });
    expect(await patchWebhook(client, 44, { webhook_status: "inactive" })).toEqual({
      webhook_id: 44,
      request_id: "r-1",
    });
    expect(server.requests).toMatchObject([
      { method: "PUT", url: "/v3/webhooks/44", headers: { "content-type": "application/json" } },
      { method: "PATCH", url: "/v3/webhooks/44", headers: { "content-type": "application/json" } },
    ]);
  });

  it.each<[title: string, exitCode: number, says: RegExp, answer: Answer]>([
    ["the connection is lost", 5, /Cannot reach .*outcome unknown/, reset],
    ["the service fails", 5, /returned 500: Oops; outcome unknown/, json({ message: "Oops" }, 500)],
    ["the response is not JSON", 8, /not JSON.*outcome unknown/, text("<html>")],
    [
      "the response is about another webhook",
      8,
      /^The API responded for webhook 45, not 44; outcome unknown/,
      json({ code: 200, message: "Success", data: { webhookId: 45 }, request_id: "r-1" }),
    ],
    [
      "the response is a gzip bomb",
      8,
      /larger than 32 MiB; outcome unknown/,
      gzip(Buffer.alloc(MAX_BODY_BYTES + 1, " ")),
    ],
    [
      "the response is too long",
      8,
      /larger than 32 MiB; outcome unknown/,
      text(Buffer.alloc(MAX_BODY_BYTES + 1, " ")),
    ],
    [
      "the response has no content",
      8,
      /returned 204.*; outcome unknown/,
      (_, response) => response.writeHead(204).end(),
    ],
    [
      "the response is a redirect",
      8,
      /returned 303.*; outcome unknown/,
      text("", 303, { location: "/v3/webhooks/44" }),
    ],
    ["the service stopped waiting", 5, /returned 408 \(0 bytes\); outcome unknown/, text("", 408)],
  ])("do not retry when %s after the change was sent", async (_title, exitCode, says, answer) => {
    await using server = await startServer(answer);
    await using client = clientOf(server.url);
    await expect(patchWebhook(client, 44, { description: "x" })).rejects.toMatchObject({
      exitCode,
      outcomeUnknown: true,
      message: expect.stringMatching(says),
    });
    expect(server.requests).toHaveLength(1);
  });

  it.each([400, 401, 403, 404, 405, 409, 412, 415, 422, 425, 429, 451])(
    "report that nothing was changed after status %i, and why",
    async (status) => {
      const answer = json({ message: "Name\u202e in use", request_id: "r-2" }, status);
      await using server = await startServer(answer);
      await using client = clientOf(server.url);
      await expect(replaceWebhook(client, 46, WEBHOOK)).rejects.toMatchObject({
        status,
        requestId: "r-2",
        outcomeUnknown: false,
        message: expect.stringMatching(/: Name\\u202e in use \(request r-2\)$/),
      });
      expect(server.requests).toHaveLength(1);
    },
  );

  it("name the unknown webhook", async () => {
    await using server = await startServer(json({ message: "Not found" }, 404));
    await using client = clientOf(server.url);
    await expect(patchWebhook(client, 46, { description: "x" })).rejects.toMatchObject({
      message: expect.stringContaining("The API returned 404: Not found"),
      hint: expect.stringContaining("no webhook with this id"),
    });
  });

  it("retry while nothing listens, since nothing can have arrived", async () => {
    const server = await startServer(changed);
    await server[Symbol.asyncDispose]();
    const clock = new FakeClock();
    await using client = new ApiClient({
      baseUrl: server.url,
      token: "secret-token-4711",
      clock,
      random: () => 0.5,
    });
    await expect(patchWebhook(client, 44, { description: "x" })).rejects.toMatchObject({
      exitCode: 5,
      outcomeUnknown: false,
    });
    expect(clock.sleeps).toHaveLength(5);
  });
});

const parsePut = (body: unknown) => checkWebhookChange(44, "PUT", body).body;
const parsePatch = (body: unknown) => checkWebhookChange(44, "PATCH", body).body;

describe("checkWebhookChange", () => {
  it.each(ENDPOINT_CASES)("accepts %j as an endpoint like the sandbox", ({ url, isTaken }) => {
    const parse = () => parsePatch({ webhook_endpoint: url });
    if (isTaken) expect(parse()).toEqual({ webhook_endpoint: url });
    else expect(parse).toThrow("webhook_endpoint: must be a valid https:// URL");
  });

  it.each(METHOD_CASES)("accepts the method $method like the sandbox", ({ method, isTaken }) => {
    const parse = () => parsePatch({ method });
    if (isTaken) expect(parse()).toEqual({ method });
    else
      expect(parse).toThrow(
        /method: must be (the name of an HTTP method, such as GET|a method that can carry a call, such as POST)/,
      );
  });

  it.each(["JSON", "json", "XML", "form data"])("accepts the format %j, even if undocumented", (format) => {
    expect(parsePatch({ format })).toEqual({ format });
  });

  it.each(["", " ", "\n", "JSON ", "\tJSON"])("refuses the format %j", (format) => {
    expect(() => parsePatch({ format })).toThrow("format: must not be empty, nor have white space around it");
  });

  it("accepts the id of the replaced webhook, as read from the API", () => {
    const read = { ...WEBHOOK, webhook_id: 44 };
    expect(parsePut(read)).toEqual(read);
  });

  it.each([
    ["a PUT without method", parsePut, { ...WEBHOOK, method: undefined }, "method: "],
    ["an empty PATCH", parsePatch, {}, "at least one field"],
    [
      "plain http",
      parsePut,
      { ...WEBHOOK, webhook_endpoint: "http://crm.example.com" },
      "webhook_endpoint: must be a valid https:// URL",
    ],
    ["an invalid endpoint", parsePatch, { webhook_endpoint: "https://" }, "webhook_endpoint: "],
    ["an unknown status", parsePatch, { webhook_status: "deleted" }, "webhook_status: "],
    [
      "a parameter that is not text",
      parsePatch,
      { static_parameters: [{ field_name: "a", field_value: 1 }] },
      "static_parameters.0.field_value: ",
    ],
    [
      "a parameter with an additional member",
      parsePatch,
      { static_parameters: [{ field_name: "a", field_value: "b", c: 1 }] },
      "static_parameters.0: ",
    ],
    ["webhook_id", parsePatch, { webhook_id: 44 }, "webhook_id is set by the service"],
    [
      "another webhook_id than that of the webhook",
      parsePut,
      { ...WEBHOOK, webhook_id: 45 },
      "webhook_id is 45, but the webhook to replace is 44",
    ],
    ["a webhook_id that is text", parsePut, { ...WEBHOOK, webhook_id: "44" }, "webhook_id: "],
    ["an empty name", parsePut, { ...WEBHOOK, webhook_name: "" }, "webhook_name: must not be empty"],
    ["an empty format", parsePatch, { format: "" }, "format: must not be empty"],
    ["webhook_created", parsePatch, { webhook_created: "t" }, "webhook_created is set by the service"],
    ["webhook_updated", parsePatch, { webhook_updated: "t" }, "webhook_updated is set by the service"],
    ["an unknown field", parsePatch, { webhok_name: "x" }, "webhok_name"],
    ["a list", parsePatch, [], "expected object"],
  ])("refuses %s", (_title, parse, body, says) => {
    expect(() => parse(body)).toThrow(
      expect.objectContaining({ exitCode: 2, message: expect.stringContaining(says) }),
    );
  });

  it.each([
    {
      title: "a full update",
      parse: parsePut,
      hint: /^Give all of webhook_name, .* for a full update; optional are /,
    },
    {
      title: "a partial one",
      parse: parsePatch,
      hint: /^Give at least one of webhook_name, /,
    },
  ])("names the fields of $title if one is unknown", ({ parse, hint }) => {
    expect(() => parse({ webhok_name: "x" })).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(hint) }),
    );
  });

  it("accepts all documented fields", () => {
    const all = {
      ...WEBHOOK,
      description: "",
      include_data_append: true,
      include_dni_logs: false,
      include_indicator_scores: true,
      include_ivr_keypresses: false,
      webhook_status: "active",
      // Accepted like in the sandbox, so that its state can be written back.
      static_parameters: [
        { field_name: "", field_value: "" },
        { field_name: "team", field_value: "sales" },
        { field_name: "team", field_value: "support" },
      ],
    };
    expect(parsePut(all)).toEqual(all);
    expect(parsePatch(all)).toEqual(all);
  });
});
