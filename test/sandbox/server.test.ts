import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { startSandbox } from "../../src/sandbox/server.ts";
import { startCalltally } from "../support/run.ts";
import { fetchPage, fetchRaw, PATH } from "../support/services/requests.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

test("startSandbox listens on 127.0.0.1 at a free port, with 5000 calls that end shortly before now", async () => {
  const beforeMs = Date.now();
  await using sandbox = await startSandbox();
  const afterMs = Date.now();

  const page = await fetchPage(sandbox, "?limit=1");

  expect(sandbox.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(sandbox.token).toBe("sandbox-token");
  expect(page.total).toBe(5000);
  const startedMs = Date.parse(String(page.calls[0]?.call_started));
  expect(startedMs).toBeGreaterThan(beforeMs - 120_000);
  expect(startedMs).toBeLessThanOrEqual(afterMs - 60_000);
});

test("startSandbox refuses options out of bounds and a port that is in use", async () => {
  await using sandbox = await startSandbox({ calls: 1 });

  await expect(startSandbox({ faultRate: 1.5 })).rejects.toThrow(/Cannot start the sandbox: .*faultRate/s);
  await expect(startSandbox({ insertEvery: 0 })).rejects.toThrow(RangeError);
  await expect(startSandbox({ port: Number(new URL(sandbox.url).port) })).rejects.toThrow("EADDRINUSE");
});

test("latencyMs delays the response", async () => {
  await using sandbox = await startSandbox({ calls: 1, latencyMs: 60 });
  const startedAt = performance.now();
  await fetchPage(sandbox);
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(59);
});

test("Sandbox.close immediately closes open sockets and waiting requests, and may be called twice", async () => {
  const sandbox = await startSandbox({ calls: 1, latencyMs: 60_000 });
  const idle = connect(Number(new URL(sandbox.url).port), "127.0.0.1");
  await once(idle, "connect");
  const idleClosed = once(
    idle.on("error", () => undefined),
    "close",
  );
  const waiting = expect(fetchRaw(sandbox)).rejects.toThrow("fetch failed");

  await Promise.all([sandbox.close(), sandbox.close()]);
  await sandbox.close();

  await idleClosed;
  await waiting;
  await expect(fetch(sandbox.url)).rejects.toThrow("fetch failed");
});

test("calltally sandbox --nulls --put-keeps-omitted returns nulls, and a PUT keeps omitted members", async () => {
  using folder = makeTempFolder();
  const flags = ["--port", "0", "--calls", "300", "--nulls", "--put-keeps-omitted"];
  const child = startCalltally(["sandbox", ...flags], { cwd: folder.path });
  const [note] = await once(child.stderr ?? child, "data");
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(String(note))?.[0] ?? "";
  const headers = { authorization: "Bearer sandbox-token", "content-type": "application/json" };

  const page = await (await fetch(`${url}${PATH}?limit=300`, { headers })).text();
  const renamed = { webhook_name: "Renamed", format: "JSON", method: "POST" };
  const body = JSON.stringify({ ...renamed, webhook_endpoint: "https://crm.northwind.example/" });
  const put = await fetch(`${url}/v3/webhooks/44`, { method: "PUT", headers, body });
  const state = JSON.parse(await (await fetch(`${url}/_sandbox/state`)).text());
  child.kill("SIGINT");

  expect((await child.done).code).toBe(0);
  expect(page).toContain('"summary":null');
  expect(put.status).toBe(200);
  expect(state.webhooks[0]).toMatchObject({ ...renamed, include_dni_logs: true });
});
