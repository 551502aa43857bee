import { describe, expect, test } from "vitest";
import { isLoopback } from "../../src/sandbox/delivery-request.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/sandbox/server.ts";
import { send } from "../support/services/requests.ts";
import {
  type Answer,
  raw,
  stall,
  startTlsServer,
  type TestServer,
  text,
  unusedPort,
} from "../support/services/server.ts";

const startReceiver = (...answers: Answer[]) => startTlsServer("localhost", ...answers);

const NOW = new Date("2026-11-20T15:00:00.000Z");

async function startFor(
  receiver: Pick<TestServer, "url">,
  method = "POST",
  options: SandboxOptions = {},
): Promise<Sandbox> {
  const sandbox = await startSandbox({ calls: 3, now: NOW, ...options });
  sandbox.webhooks.edit(44, { webhook_endpoint: `${receiver.url}hook?a=1`, method });
  return sandbox;
}

/** Adds a call and waits for its deliveries. */
async function addCall(sandbox: Sandbox): Promise<number> {
  const id = sandbox.calls.insert();
  await sandbox.settleDeliveries();
  return id;
}

describe("events of an active webhook", () => {
  test("delivers events as a JSON body, with static parameters and the requested additions", async () => {
    await using receiver = await startReceiver();
    await using sandbox = await startFor(receiver);

    const id = await addCall(sandbox);

    const [received, ...others] = receiver.requests;
    expect(others).toEqual([]);
    expect(received).toMatchObject({ method: "POST", url: "/hook?a=1" });
    expect(received?.headers["content-type"]).toBe("application/json");
    expect(JSON.parse(String(received?.body))).toEqual({
      event: "call_added",
      event_time: NOW.toISOString(),
      webhook_id: 44,
      call_id: id,
      static_parameters: [
        { field_name: "source", field_value: "calltally-sandbox" },
        { field_name: "api_key", field_value: "made-up-key" },
      ],
      data_append: { line_type: expect.any(String), is_repeat_caller: expect.any(Boolean) },
      dni_logs: sandbox.calls.get(id)?.dni_data,
      indicator_scores: sandbox.insights.ids.map((insight_id) => ({
        insight_id,
        score: expect.stringMatching(/^(pass|fail)$/),
      })),
    });
    const sent = { method: "POST", url: `${receiver.url}hook?a=1`, body: String(received?.body) };
    const delivered = { webhook_id: 44, call_id: id, outcome: "delivered", status: 200 };
    expect(sandbox.deliveries).toEqual([{ ...delivered, ...sent }]);
  });

  test("delivers events as query parameters with GET, after the endpoint's own unchanged ones", async () => {
    await using receiver = await startReceiver();
    await using sandbox = await startFor(receiver, "get");
    const static_parameters = [
      { field_name: "event", field_value: "a & b" },
      { field_name: "event", field_value: "a & b" },
      { field_name: "__proto__", field_value: "p" },
    ];
    sandbox.webhooks.edit(44, {
      webhook_endpoint: `${receiver.url}hook?sig=a%20b~!&flag&event=mine`,
      include_data_append: false,
      include_dni_logs: false,
      include_indicator_scores: false,
      include_ivr_keypresses: true,
      static_parameters,
    });

    const id = await addCall(sandbox);

    const [received] = receiver.requests;
    expect(received).toMatchObject({ method: "GET", body: Buffer.alloc(0) });
    expect(received?.headers).not.toHaveProperty("content-type");
    const [own = "", payload = ""] = received?.url?.split("&event=mine&") ?? [];
    expect(own).toBe("/hook?sig=a%20b~!&flag");
    expect([...new URLSearchParams(payload)]).toEqual([
      ["event", "call_added"],
      ["event_time", NOW.toISOString()],
      ["webhook_id", "44"],
      ["call_id", String(id)],
      ["static_parameters", JSON.stringify(static_parameters)],
      ["ivr_keypresses", expect.stringMatching(/^\[\{"key":"[\d#]","seconds":\d+\}/)],
    ]);
  });

  test("authenticate with the user and password of the endpoint", async () => {
    await using receiver = await startReceiver();
    await using sandbox = await startFor(receiver);
    sandbox.webhooks.edit(44, { webhook_endpoint: receiver.url.href.replace("//", "//us%40er:p%C3%A4ss@") });

    await addCall(sandbox);

    const authorization = `Basic ${Buffer.from("us@er:päss").toString("base64")}`;
    expect(receiver.requests).toMatchObject([{ headers: { authorization } }]);
  });

  test("continue while the webhook is updated, are held while it is inactive, and end once it is deleted", async () => {
    await using receiver = await startReceiver();
    await using sandbox = await startFor(receiver);
    const patch = (changes: object) => send(sandbox, "PATCH", "/v3/webhooks/44", changes);
    const counts: number[] = [];
    const count = async () => {
      await addCall(sandbox);
      counts.push(receiver.requests.length);
    };

    sandbox.calls.insert();
    await patch({ description: "changed while an event is under way" });
    await count();
    await patch({ webhook_status: "inactive" });
    await count();
    await patch({ description: "changed while inactive" });
    await count();
    await patch({ webhook_status: "active" });
    await count();
    sandbox.webhooks.edit(44, { webhook_status: "deleted" });
    await count();

    expect(counts).toEqual([2, 2, 2, 5, 5]);
  });
});

describe("failed deliveries", () => {
  test("include one to an endpoint beyond this machine, which is withheld", async () => {
    await using sandbox = await startSandbox({ calls: 0 });
    await addCall(sandbox);
    expect(sandbox.deliveries).toMatchObject([
      { webhook_id: 44, outcome: "withheld", status: undefined, url: expect.stringContaining("northwind") },
    ]);
  });

  test("include one to an endpoint beyond this machine, which is tried with allowDelivery", async () => {
    await using sandbox = await startSandbox({ calls: 0, allowDelivery: true });
    // No name below .invalid resolves (RFC 6761), so that the test stays on this machine.
    sandbox.webhooks.edit(44, { webhook_endpoint: "https://receiver.invalid/" });
    await addCall(sandbox);
    expect(sandbox.deliveries).toMatchObject([
      { outcome: "failed", status: undefined, error: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/) },
    ]);
  });

  test("include an error response, a redirect, a closed port, and a receiver without TLS", async () => {
    await using failing = await startReceiver(text("busy", 503));
    await using elsewhere = await startReceiver();
    await using moved = await startReceiver(text("", 302, { location: elsewhere.url.href }));
    const closed = `https://127.0.0.1:${await unusedPort()}`;
    await using plain = await startSandbox({ calls: 0 });
    await using sandbox = await startFor(failing);

    await addCall(sandbox);
    for (const url of [moved.url.href, closed, plain.url.replace("http:", "https:")]) {
      sandbox.webhooks.edit(44, { webhook_endpoint: url });
      await addCall(sandbox);
    }

    expect(elsewhere.requests).toEqual([]);
    expect(sandbox.deliveries).toMatchObject([
      { outcome: "failed", status: 503 },
      { outcome: "failed", status: 302 },
      { outcome: "failed", status: undefined, error: expect.stringContaining("ECONNREFUSED") },
      { outcome: "failed", status: undefined, error: expect.any(String) },
    ]);
  });

  test("free their slots after receivers that switch protocols, drip, disconnect and hang", async () => {
    const answers: Answer[] = [
      (_, { socket }) =>
        socket?.write("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"),
      (_, { socket }) => setInterval(() => socket?.write("HTTP/1.1 103 Early Hints\r\n\r\n"), 5).unref(),
      (_, { socket }) => socket?.destroy(),
      raw("nothing of HTTP"),
      stall,
    ];
    await using receiver = await startReceiver((...exchange) =>
      answers[receiver.requests.length % answers.length]?.(...exchange),
    );
    await using healthy = await startReceiver();
    await using sandbox = await startFor(receiver, "POST", { deliveryTimeoutMs: 1500 });

    // On a slow machine some are aborted before they arrive or get a response.
    for (let added = 0; receiver.requests.length < 20; added++) {
      sandbox.calls.insert();
      if (added % 20 === 19) await sandbox.settleDeliveries();
    }
    await sandbox.settleDeliveries();
    sandbox.webhooks.edit(44, { webhook_endpoint: healthy.url.href });
    while (sandbox.deliveries.at(-1)?.outcome !== "delivered") await addCall(sandbox);

    expect(healthy.requests).not.toEqual([]);
    const ends = sandbox.deliveries.map(({ outcome, status }) => ({ outcome, status }));
    expect(ends).toEqual([
      ...Array(ends.length - 1).fill({ outcome: "failed", status: undefined }),
      { outcome: "delivered", status: 200 },
    ]);
  });
});

test("isLoopback accepts only addresses of this machine", () => {
  const own = [
    "localhost:1/",
    "127.0.0.1/",
    "127.9.8.7/",
    "0x7f.1/",
    "[::1]:8443/",
    "[::ffff:127.0.0.1]/",
    "user@127.0.0.1/",
  ];
  const others = [
    "127.0.0.1@hooks.example/",
    "localhost.example/",
    "127.0.0.1.example/",
    "0.0.0.0/",
    "10.0.0.1/",
    "[::]/",
    "[fe80::1]/",
  ];
  expect([...own, ...others].filter((rest) => isLoopback(new URL(`https://${rest}`)))).toEqual(own);
});
