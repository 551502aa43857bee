import { once } from "node:events";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/base/errors.ts";
import type { Health } from "../../src/schedule/health.ts";
import { type Address, parseAddress, startMonitor } from "../../src/schedule/monitor.ts";

const LOCAL = { host: "127.0.0.1", port: 0 };

describe("parseAddress", () => {
  it.each<[string, Address, boolean?]>([
    ["127.0.0.1:9464", { host: "127.0.0.1", port: 9464 }],
    ["9464", { host: "127.0.0.1", port: 9464 }],
    ["localhost:0", { host: "localhost", port: 0 }],
    ["[::1]:65535", { host: "::1", port: 65_535 }],
    ["127.5.6.7:1", { host: "127.5.6.7", port: 1 }],
    ["[::FFFF:127.0.0.1]:80", { host: "::FFFF:127.0.0.1", port: 80 }, true],
    ["my-host_1.local:80", { host: "my-host_1.local", port: 80 }, true],
  ])("reads %s", (text, address, isRemote = false) => {
    expect(parseAddress(text, isRemote)).toEqual(address);
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
    "127.0.0.1:123456",
    "x[::1]:9464",
    "[::1]x:9464",
    "[]:1",
    "[::g]:1",
    "9464 ",
  ])("refuses %j", (text) => {
    const error = new UsageError(`Cannot use --listen ${text}: must be an address and a port`, {
      hint: "Write it as 127.0.0.1:9464.",
    });
    expect(() => parseAddress(text, true)).toThrow(error);
    expect(() => parseAddress(text, true)).toThrow(UsageError);
  });

  it.each(["0.0.0.0:9464", "[::]:9464", "10.0.0.1:9464", "example.com:9464", "127.0.0.1.example.com:9464"])(
    "accepts %s, which other machines can reach, only with --allow-remote",
    (text) => {
      expect(() => parseAddress(text, false)).toThrow(
        expect.objectContaining({
          message: `Cannot use --listen ${text}: other machines could reach it`,
          hint: "Use 127.0.0.1, or add --allow-remote: the endpoints expose no secrets, but have no password.",
        }),
      );
      expect(parseAddress(text, true).port).toBe(9464);
    },
  );
});

describe("startMonitor", () => {
  const pages = (health: Health) => ({ health: () => health, metrics: () => "# none\n" });

  it("responds to /healthz with 200 or 503 and JSON, to /metrics with text, and to nothing else", async () => {
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

  it("sends a content type and no-store with each response", async () => {
    await using monitor = await startMonitor(LOCAL, {
      ...pages({ status: "ok" }),
      doorbell: async ({ url }) => ({
        status: 401,
        text: `No: ${url}\n`,
        headers: { "www-authenticate": "Bearer" },
      }),
    });
    const ask = async (path: string, init: RequestInit = {}) => {
      const response = await fetch(monitor.url + path, init);
      const {
        "content-type": type,
        "cache-control": cache,
        allow,
        "www-authenticate": asks,
      } = Object.fromEntries(response.headers);
      return [response.status, type, cache, allow ?? asks, await response.text()];
    };
    expect(await ask("/healthz")).toEqual([
      200,
      "application/json",
      "no-store",
      undefined,
      '{"status":"ok"}\n',
    ]);
    expect(await ask("/")).toEqual([
      404,
      "text/plain",
      "no-store",
      undefined,
      "only /healthz and /metrics exist\n",
    ]);
    expect(await ask("/metrics", { method: "PUT" })).toEqual([
      405,
      "text/plain",
      "no-store",
      "GET, HEAD",
      "Only GET is allowed\n",
    ]);
    expect(await ask("/metrics", { method: "HEAD" })).toEqual([
      200,
      "text/plain; version=0.0.4; charset=utf-8",
      "no-store",
      undefined,
      "",
    ]);
    expect(await ask("/doorbell/acme?x", { method: "POST" })).toEqual([
      401,
      "text/plain",
      "no-store",
      "Bearer",
      "No: /doorbell/acme?x\n",
    ]);
    expect((await ask("/doorbells"))[0]).toBe(404);
    await using bare = await startMonitor(LOCAL, pages({ status: "ok" }));
    expect((await fetch(`${bare.url}/doorbell`)).status).toBe(404);
  });

  it.each([
    ["127.0.0.1", "use localhost"],
    ["0.0.0.0", "use an IP address, or the name given to --listen"],
  ])("names in an error on %s the accepted host names", async (listened, says) => {
    await using monitor = await startMonitor({ host: listened, port: 0 }, pages({ status: "ok" }));
    const { port } = new URL(monitor.url);
    const headers = { host: "rebound.example.com" };
    const asked = request({ host: "127.0.0.1", port, path: "/healthz", headers }).end();
    const [response] = await once(asked, "response");
    expect(await text(response)).toBe(`This host name is not served here: ${says}.\n`);
    expect(response.headers["content-type"]).toBe("text/plain");
  });

  it("writes an IPv6 address as in a URL", async () => {
    await using monitor = await startMonitor({ host: "::1", port: 0 }, pages({ status: "ok" }));
    expect(monitor.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect((await fetch(`${monitor.url}/healthz`)).status).toBe(200);
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

  it("reports a port that is in use", async () => {
    await using monitor = await startMonitor(LOCAL, pages({ status: "ok" }));
    const port = Number(new URL(monitor.url).port);
    const error = await startMonitor({ ...LOCAL, port }, pages({ status: "ok" })).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({
      exitCode: 2,
      message: "Cannot use --listen: cannot listen on this address",
      hint: "Another process is listening there: choose another address or port.",
      cause: { code: "EADDRINUSE" },
    });
    // An address for documentation, which no machine has.
    await expect(startMonitor({ host: "192.0.2.1", port: 0 }, pages({ status: "ok" }))).rejects.toMatchObject(
      {
        message: "Cannot use --listen: cannot listen on this address",
        hint: "It must be an address of this machine, and a port that this user may use.",
        cause: { code: "EADDRNOTAVAIL" },
      },
    );
  });

  it("immediately ends open connections", async () => {
    const monitor = await startMonitor(LOCAL, pages({ status: "ok" }));
    const hanging = request(`${monitor.url}/metrics`, { method: "POST" });
    hanging.on("error", () => undefined).write("x");
    await fetch(`${monitor.url}/healthz`);
    await monitor[Symbol.asyncDispose]();
    await expect(fetch(`${monitor.url}/healthz`)).rejects.toThrow();
  });
});
