import { describe, expect, it } from "vitest";
import { ApiClient } from "../../../src/api/client.ts";
import { MAX_BODY_BYTES } from "../../../src/api/response-body.ts";
import { changeWebhook, checkWebhookChange } from "../../../src/features/webhooks/webhook-client.ts";
import { ENDPOINT_CASES } from "../../support/endpoint-cases.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { type Answer, gzip, json, reset, startServer, text } from "../../support/server.ts";
import { METHOD_CASES } from "./method-cases.ts";

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

  it.each<{ title: string; answer: Answer; says: RegExp; exitCode: number }>([
    { title: "the connection is lost", answer: reset, says: /Cannot reach .*outcome unknown/, exitCode: 5 },
    {
      title: "the service fails",
      answer: json({ message: "Oops" }, 500),
      says: /returned 500: Oops; outcome unknown/,
      exitCode: 5,
    },
    {
      title: "the response is not JSON",
      answer: text("<html>"),
      says: /not JSON.*outcome unknown/,
      exitCode: 8,
    },
    {
      title: "the response is about another webhook",
      answer: json({ code: 200, message: "Success", data: { webhookId: 45 }, request_id: "r-1" }),
      says: /^The API responded for webhook 45, not 44; outcome unknown/,
      exitCode: 8,
    },
    {
      title: "the response is a gzip bomb",
      answer: gzip(Buffer.alloc(MAX_BODY_BYTES + 1, " ")),
      says: /larger than 32 MiB; outcome unknown/,
      exitCode: 8,
    },
    {
      title: "the response is too long",
      answer: text(Buffer.alloc(MAX_BODY_BYTES + 1, " ")),
      says: /larger than 32 MiB; outcome unknown/,
      exitCode: 8,
    },
    {
      title: "the response has no content",
      answer: (_, response) => response.writeHead(204).end(),
      says: /returned 204.*; outcome unknown/,
      exitCode: 8,
    },
    {
      title: "the response is a redirect",
      answer: text("", 303, { location: "/v3/webhooks/44" }),
      says: /returned 303.*; outcome unknown/,
      exitCode: 8,
    },
    {
      title: "the service stopped waiting",
      answer: text("", 408),
      says: /returned 408 \(0 bytes\); outcome unknown/,
      exitCode: 5,
    },
  ])("do not retry when $title after the change was sent", async ({ answer, says, exitCode }) => {
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
    else expect(parse).toThrow("method: must be the name of an HTTP method, such as GET");
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
    {
      title: "a PUT without method",
      parse: parsePut,
      body: { ...WEBHOOK, method: undefined },
      says: "method: ",
    },
    { title: "an empty PATCH", parse: parsePatch, body: {}, says: "at least one field" },
    {
      title: "plain http",
      parse: parsePut,
      body: { ...WEBHOOK, webhook_endpoint: "http://crm.example.com" },
      says: "webhook_endpoint: must be a valid https:// URL",
    },
    {
      title: "an invalid endpoint",
      parse: parsePatch,
      body: { webhook_endpoint: "https://" },
      says: "webhook_endpoint: ",
    },
    {
      title: "an unknown status",
      parse: parsePatch,
      body: { webhook_status: "deleted" },
      says: "webhook_status: ",
    },
    {
      title: "a parameter that is not text",
      parse: parsePatch,
      body: { static_parameters: [{ field_name: "a", field_value: 1 }] },
      says: "static_parameters.0.field_value: ",
    },
    {
      title: "a parameter with an additional member",
      parse: parsePatch,
      body: { static_parameters: [{ field_name: "a", field_value: "b", c: 1 }] },
      says: "static_parameters.0: ",
    },
    {
      title: "webhook_id",
      parse: parsePatch,
      body: { webhook_id: 44 },
      says: "webhook_id is set by the service",
    },
    {
      title: "another webhook_id than that of the webhook",
      parse: parsePut,
      body: { ...WEBHOOK, webhook_id: 45 },
      says: "webhook_id is 45, but the webhook to replace is 44",
    },
    {
      title: "a webhook_id that is text",
      parse: parsePut,
      body: { ...WEBHOOK, webhook_id: "44" },
      says: "webhook_id: ",
    },
    {
      title: "an empty name",
      parse: parsePut,
      body: { ...WEBHOOK, webhook_name: "" },
      says: "webhook_name: must not be empty",
    },
    {
      title: "an empty format",
      parse: parsePatch,
      body: { format: "" },
      says: "format: must not be empty",
    },
    {
      title: "webhook_created",
      parse: parsePatch,
      body: { webhook_created: "t" },
      says: "webhook_created is set by the service",
    },
    {
      title: "webhook_updated",
      parse: parsePatch,
      body: { webhook_updated: "t" },
      says: "webhook_updated is set by the service",
    },
    {
      title: "an unknown field",
      parse: parsePatch,
      body: { webhok_name: "x" },
      says: "webhok_name",
    },
    { title: "a list", parse: parsePatch, body: [], says: "expected object" },
  ])("refuses $title", ({ parse, body, says }) => {
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
