import { once } from "node:events";
import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/errors.ts";
import type { Health } from "../../src/schedule/health.ts";
import { parseAddress, startMonitor } from "../../src/schedule/monitor.ts";

const LOCAL = { host: "127.0.0.1", port: 0 };

describe("parseAddress", () => {
  it.each([
    ["127.0.0.1:9464", { host: "127.0.0.1", port: 9464 }],
    ["9464", { host: "127.0.0.1", port: 9464 }],
    ["localhost:0", { host: "localhost", port: 0 }],
    ["[::1]:65535", { host: "::1", port: 65_535 }],
    ["127.5.6.7:1", { host: "127.5.6.7", port: 1 }],
  ])("reads %s", (text, address) => {
    expect(parseAddress(text, false)).toEqual(address);
  });

  it.each([
    "",
    ":9464",
    "127.0.0.1",
    "127.0.0.1:",
    "127.0.0.1:65536",
    "127.0.0.1:-1",
    "::1:9464",
    "http://127.0.0.1:9464",
    "127.0.0.1:9464/",
    "a b:1",
    "127.0.0.1:1e3",
  ])("refuses %j", (text) => {
    expect(() => parseAddress(text, true)).toThrow(`--listen ${text}: must be an address and a port`);
    expect(() => parseAddress(text, true)).toThrow(UsageError);
  });

  it.each(["0.0.0.0:9464", "[::]:9464", "10.0.0.1:9464", "example.com:9464", "127.0.0.1.example.com:9464"])(
    "takes %s, which other machines can reach, only when it is told that they may",
    (text) => {
      expect(() => parseAddress(text, false)).toThrow("other machines could reach it");
      expect(parseAddress(text, true).port).toBe(9464);
    },
  );
});

describe("startMonitor", () => {
  const pages = (health: Health) => ({ health: () => health, metrics: () => "# none\n" });

  it("answers /healthz with 200 or 503 and JSON, /metrics as text, and nothing else", async () => {
    const health: Health = { status: "ok" };
    await using monitor = await startMonitor(LOCAL, pages(health));
    const well = await fetch(`${monitor.url}/healthz`);
    expect([well.status, await well.json()]).toEqual([200, { status: "ok" }]);
    Object.assign(health, { status: "failing", reason: "why" });
    const ill = await fetch(`${monitor.url}/healthz?verbose`);
    expect([ill.status, await ill.json()]).toEqual([503, { status: "failing", reason: "why" }]);
    const metrics = await fetch(`${monitor.url}/metrics`);
    expect(metrics.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect([metrics.status, await metrics.text()]).toEqual([200, "# none\n"]);
    const statuses = await Promise.all([
      fetch(`${monitor.url}/`),
      fetch(`${monitor.url}/healthz`, { method: "HEAD" }),
      fetch(`${monitor.url}/metrics`, { method: "POST" }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([404, 503, 405]);
  });

  it.each([
    { listened: "127.0.0.1", host: "localhost:9464", status: 200 },
    { listened: "127.0.0.1", host: "LOCALHOST", status: 200 },
    { listened: "127.0.0.1", host: "127.0.0.1", status: 200 },
    { listened: "127.0.0.1", host: "[::1]:1", status: 200 },
    { listened: "127.0.0.1", host: "rebound.example.com", status: 421 },
    { listened: "127.0.0.1", host: "rebound.example.com:9464", status: 421 },
    { listened: "127.0.0.1", host: "calltally:9464", status: 421 },
    { listened: "127.0.0.1", host: "10.0.0.1:9464", status: 421 },
    { listened: "127.0.0.1", host: "127.0.0.1.example.com", status: 421 },
    { listened: "127.0.0.1", host: "localhost@example.com", status: 421 },
    { listened: "127.5.6.7", host: "127.5.6.7:80", status: 200 },
    { listened: "0.0.0.0", host: "localhost:9464", status: 200 },
    { listened: "0.0.0.0", host: "10.0.0.1:9464", status: 200 },
    { listened: "0.0.0.0", host: "[fe80::1]:9464", status: 200 },
    { listened: "0.0.0.0", host: "calltally:9464", status: 200 },
    { listened: "0.0.0.0", host: "calltally.jobs.svc.cluster.local:9464", status: 200 },
    { listened: "0.0.0.0", host: "rebound.example.com:9464", status: 421 },
    { listened: "0.0.0.0", host: "local", status: 200 },
    { listened: "0.0.0.0", host: "10.0.0.1.example.com", status: 421 },
  ])("on $listened, responds to Host $host with $status", async ({ listened, host, status }) => {
    await using monitor = await startMonitor({ host: listened, port: 0 }, pages({ status: "ok" }));
    const { port } = new URL(monitor.url);
    for (const path of ["/healthz", "/metrics"]) {
      const address = listened.startsWith("127.") ? listened : "127.0.0.1";
      const asked = request({ host: address, port, path, headers: { host } }).end();
      const [response] = await once(asked, "response");
      response.resume();
      expect(response.statusCode).toBe(status);
    }
  });

  it("says so when the port is taken", async () => {
    await using monitor = await startMonitor(LOCAL, pages({ status: "ok" }));
    const port = Number(new URL(monitor.url).port);
    const error = await startMonitor({ ...LOCAL, port }, pages({ status: "ok" })).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ exitCode: 2, message: "--listen: cannot listen on this address" });
  });

  it("ends open connections at once", async () => {
    const monitor = await startMonitor(LOCAL, pages({ status: "ok" }));
    const hanging = request(`${monitor.url}/metrics`, { method: "POST" });
    hanging.on("error", () => undefined).write("x");
    await fetch(`${monitor.url}/healthz`);
    await monitor[Symbol.asyncDispose]();
    await expect(fetch(`${monitor.url}/healthz`)).rejects.toThrow();
  });
});
