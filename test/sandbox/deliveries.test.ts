import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { isLoopback } from "../../src/sandbox/delivery-request.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/server.ts";
import { type Receiver, startReceiver } from "./receiver.ts";
import { fetchPage, send } from "./requests.ts";

const NOW = new Date("2026-11-20T15:00:00.000Z");

async function startFor(receiver: Pick<Receiver, "url">, method = "POST"): Promise<Sandbox> {
  const sandbox = await startSandbox({ calls: 3, now: NOW });
  sandbox.webhooks.edit(44, { webhook_endpoint: `${receiver.url}/hook?a=1`, method });
  return sandbox;
}

/** Adds a call and waits for what it brings about. */
async function addCall(sandbox: Sandbox): Promise<number> {
  const id = sandbox.calls.insert();
  await sandbox.settleDeliveries();
  return id;
}

describe("An active webhook receives an event for an added call", () => {
  test("as a JSON body, with its static parameters and the additions it asks for", async () => {
    await using receiver = await startReceiver();
    await using sandbox = await startFor(receiver);

    const id = await addCall(sandbox);

    const [received, ...others] = receiver.received;
    expect(others).toEqual([]);
    expect(received).toMatchObject({ method: "POST", url: "/hook?a=1", contentType: "application/json" });
    expect(JSON.parse(received?.body ?? "")).toEqual({
      event: "call_added",
      event_time: NOW.toISOString(),
      webhook_id: 44,
      call_id: id,
      data_append: {},
      dni_logs: sandbox.calls.get(id)?.dni_data,
      indicator_scores: [],
      source: "calltally-sandbox",
      api_key: "made-up-key",
    });
    expect(sandbox.deliveries).toEqual([
      {
        webhook_id: 44,
        method: "POST",
        url: `${receiver.url}/hook?a=1`,
        body: received?.body,
        outcome: "delivered",
        status: 200,
      },
    ]);
  });

  test("as query parameters with GET, beside the endpoint's own; a static parameter wins over a member", async () => {
    await using receiver = await startReceiver();
    await using sandbox = await startFor(receiver, "get");
    sandbox.webhooks.edit(44, {
      include_dni_logs: false,
      include_indicator_scores: false,
      include_ivr_keypresses: true,
      static_parameters: [
        { field_name: "event", field_value: "a & b" },
        { field_name: "__proto__", field_value: "p" },
      ],
    });

    const id = await addCall(sandbox);

    const [received] = receiver.received;
    expect(received).toMatchObject({ method: "GET", contentType: undefined, body: "" });
    const { searchParams } = new URL(received?.url ?? "", receiver.url);
    expect([...searchParams]).toEqual([
      ["a", "1"],
      ["event", "a & b"],
      ["event_time", NOW.toISOString()],
      ["webhook_id", "44"],
      ["call_id", String(id)],
      ["data_append", "{}"],
      ["ivr_keypresses", "[]"],
      ["__proto__", "p"],
    ]);
  });

  test("also when the call comes in by churn, and before the request is answered", async () => {
    await using receiver = await startReceiver();
    await using sandbox = await startSandbox({ calls: 3, insertEvery: 1 });
    await send(sandbox, "PATCH", "/v3/webhooks/44", { webhook_endpoint: receiver.url });

    await fetchPage(sandbox);
    await sandbox.settleDeliveries();

    expect(receiver.received).toHaveLength(1);
  });

  test("and goes on receiving them while it is updated; none while it is inactive or deleted", async () => {
    await using receiver = await startReceiver();
    await using sandbox = await startFor(receiver);
    const patch = (changes: object) => send(sandbox, "PATCH", "/v3/webhooks/44", changes);
    const counts: number[] = [];
    const count = async () => {
      await addCall(sandbox);
      counts.push(receiver.received.length);
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

    expect(counts).toEqual([2, 2, 2, 3, 3]);
  });
});

describe("A delivery that cannot be made is recorded and harms nobody:", () => {
  test("an endpoint beyond this machine is withheld", async () => {
    await using sandbox = await startSandbox({ calls: 0 });
    await addCall(sandbox);
    expect(sandbox.deliveries).toMatchObject([
      { webhook_id: 44, outcome: "withheld", status: undefined, url: expect.stringContaining("northwind") },
    ]);
  });

  test("with allowDelivery it is tried", async () => {
    await using sandbox = await startSandbox({ calls: 0, allowDelivery: true });
    // No name below .invalid resolves (RFC 6761), so that the test stays on this machine.
    sandbox.webhooks.edit(44, { webhook_endpoint: "https://receiver.invalid/" });
    await addCall(sandbox);
    expect(sandbox.deliveries).toMatchObject([
      { outcome: "failed", status: undefined, error: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/) },
    ]);
  });

  test("an error answer, a redirect, a closed port, a receiver without TLS", async () => {
    await using failing = await startReceiver((response) => response.writeHead(503).end("busy"));
    await using elsewhere = await startReceiver();
    await using moved = await startReceiver((response) =>
      response.writeHead(302, { location: elsewhere.url }).end(),
    );
    const { url: closed } = await startThenClose();
    await using plain = await startSandbox({ calls: 0 });
    await using sandbox = await startFor(failing);

    await addCall(sandbox);
    for (const url of [moved.url, closed, plain.url.replace("http:", "https:")]) {
      sandbox.webhooks.edit(44, { webhook_endpoint: url });
      await addCall(sandbox);
    }

    expect(elsewhere.received).toEqual([]);
    expect(sandbox.deliveries).toMatchObject([
      { outcome: "failed", status: 503 },
      { outcome: "failed", status: 302 },
      { outcome: "failed", status: undefined, error: expect.stringContaining("ECONNREFUSED") },
      { outcome: "failed", status: undefined, error: expect.any(String) },
    ]);
  });

  test("a receiver that says nothing is given up after two seconds", async () => {
    await using receiver = await startReceiver(() => {});
    await using sandbox = await startFor(receiver);
    const startedAt = performance.now();

    await addCall(sandbox);

    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(sandbox.deliveries).toMatchObject([
      { outcome: "failed", status: undefined, error: expect.stringMatching(/abort|timeout/i) },
    ]);
  });

  test("more than a thousand waiting are dropped, and closing breaks the others off", async () => {
    await using receiver = await startReceiver(() => {});
    const sandbox = await startFor(receiver);
    for (let added = 0; added < 1100; added++) sandbox.calls.insert();
    expect(new Set(sandbox.deliveries.map(({ outcome }) => outcome))).toEqual(new Set(["dropped"]));
    // The four under way may not count as waiting.
    expect([96, 97, 98, 99, 100]).toContain(sandbox.deliveries.length);
    await receiver.next();
    const startedAt = performance.now();

    await sandbox.close();

    expect(performance.now() - startedAt).toBeLessThan(1500);
    expect(receiver.received.length).toBeLessThanOrEqual(4);
    expect(sandbox.deliveries).toHaveLength(1000);
    expect(sandbox.deliveries.at(-1)).toMatchObject({ outcome: "failed", error: "the sandbox was closed" });
    sandbox.calls.insert();
    await sandbox.settleDeliveries();
    expect(receiver.received.length).toBeLessThanOrEqual(4);
  });
});

test.for([
  ["https://localhost:1/", true],
  ["https://127.0.0.1/", true],
  ["https://127.9.8.7/", true],
  ["https://0x7f.1/", true],
  ["https://[::1]:8443/", true],
  ["https://[::ffff:127.0.0.1]/", true],
  ["https://user@127.0.0.1/", true],
  ["https://127.0.0.1@hooks.example/", false],
  ["https://localhost.example/", false],
  ["https://127.0.0.1.example/", false],
  ["https://0.0.0.0/", false],
  ["https://10.0.0.1/", false],
  ["https://[::]/", false],
  ["https://[fe80::1]/", false],
] as const)("isLoopback of %s is %s", ([url, expected]) => {
  expect(isLoopback(new URL(url))).toBe(expected);
});

async function startThenClose(): Promise<{ url: string }> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<{ url: string }>();
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    const port = address !== null && typeof address === "object" ? address.port : 0;
    server.close(() => resolve({ url: `https://127.0.0.1:${port}` }));
  });
  return promise;
}
