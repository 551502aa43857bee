import { once } from "node:events";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/base/errors.ts";
import type { Health } from "../../src/schedule/health.ts";
import { type Address, isAllowedHost, parseAddress, startMonitor } from "../../src/schedule/monitor.ts";

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

  it.each<[asked: string, status: number, type: string, body: string, extra?: string]>([
    ["GET /healthz", 200, "application/json", '{"status":"ok"}\n'],
    ["GET /healthz?verbose", 503, "application/json", '{"status":"failing","reason":"why"}\n'],
    ["GET /metrics", 200, "text/plain; version=0.0.4; charset=utf-8", "# none\n"],
    ["HEAD /metrics", 200, "text/plain; version=0.0.4; charset=utf-8", ""],
    ["PUT /metrics", 405, "text/plain", "Only GET is allowed\n", "GET, HEAD"],
    ["GET /", 404, "text/plain", "only /healthz and /metrics exist\n"],
    ["POST /doorbell/acme?x", 401, "text/plain", "No: /doorbell/acme?x\n", "Bearer"],
    ["GET /doorbells", 404, "text/plain", "only /healthz and /metrics exist\n"],
  ])("responds to %s with %i, uncached", async (asked, status, type, body, extra) => {
    const [method = "", path = ""] = asked.split(" ");
    await using monitor = await startMonitor(LOCAL, {
      ...pages(status === 503 ? { status: "failing", reason: "why" } : { status: "ok" }),
      doorbell: async ({ url }) => ({
        status: 401,
        text: `No: ${url}\n`,
        headers: { "www-authenticate": "Bearer" },
      }),
    });
    const response = await fetch(monitor.url + path, { method });
    const { "content-type": sent, "cache-control": cache, ...headers } = Object.fromEntries(response.headers);
    expect([response.status, sent, cache]).toEqual([status, type, "no-store"]);
    expect([await response.text(), headers.allow ?? headers["www-authenticate"]]).toEqual([body, extra]);
  });

  it("serves no doorbell without one in its pages", async () => {
    await using monitor = await startMonitor(LOCAL, pages({ status: "ok" }));
    expect((await fetch(`${monitor.url}/doorbell`)).status).toBe(404);
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

  it("reports a port that is in use", async () => {
    await using monitor = await startMonitor(LOCAL, pages({ status: "ok" }));
    const port = Number(new URL(monitor.url).port);
    const error = await startMonitor({ ...LOCAL, port }, pages({ status: "ok" })).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({
      exitCode: 2,
      message: `Cannot listen on 127.0.0.1:${port}`,
      hint: "Another process is listening there: choose another address or port.",
      cause: { code: "EADDRINUSE" },
    });
    // An address for documentation, which no machine has.
    await expect(startMonitor({ host: "192.0.2.1", port: 0 }, pages({ status: "ok" }))).rejects.toMatchObject(
      {
        message: "Cannot listen on 192.0.2.1:0",
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

describe("isAllowedHost", () => {
  it.each<[listened: string, accepted: (string | undefined)[], refused: string[]]>([
    [
      "127.0.0.1",
      [undefined, "localhost", "LocalHost:9464", "[::1]:1", "[::1]"],
      [
        "",
        "calltally",
        "127.0.0.2",
        "a.local",
        "localhost:",
        "localhost:123456",
        "localhost:80x",
        "xx[::1]",
        "[::1]x",
        "::1",
        "localhost@example.com",
        "user@localhost",
      ],
    ],
    ["::1", ["127.0.0.1:65535"], []],
    ["127.5.6.7", ["127.5.6.7"], []],
    ["Calls.Example.com", ["calls.EXAMPLE.com:80"], ["example.com"]],
    [
      "0.0.0.0",
      [
        undefined,
        "10.0.0.1:9464",
        "[fe80::1]:9464",
        "[::ffff:10.0.0.1]",
        "calltally",
        "call-tally_2:80",
        "a.b.local",
        "A.Internal:80",
        "a-b.localhost",
      ],
      [
        "",
        "rebound.example.com",
        "10.0.0.1.example.com",
        "a.local.example.com",
        "a.blocal",
        ".local",
        "a.example:80:80",
        "a/b",
        "a/b.local",
        "10.0.0.256",
      ],
    ],
  ])("accepts on %s only names that nobody else can point at it", (listened, accepted, refused) => {
    expect([...accepted, ...refused].filter((header) => isAllowedHost(header, listened))).toEqual(accepted);
  });
});
