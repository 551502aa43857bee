import { describe, expect, it, vi } from "vitest";
import { postHook } from "../../../src/reports/delivery/send-hook.ts";
import { openHeartbeat } from "../../../src/schedule/heartbeat.ts";
import { adviseOnRoute, openRoute } from "../../../src/service/api/route.ts";
import { keepLines } from "../../support/log-lines.ts";
import { isolateProxies, openScene } from "../../support/services/far-server.ts";
import { startForwardProxy } from "../../support/services/forward-proxy.ts";
import { startServer, text } from "../../support/services/server.ts";

const { signal } = new AbortController();

isolateProxies();

const FAR = new URL("https://far.example.test/hooks/T0/secret-path");

/** Posts to a web hook; counts its claims. */
async function post() {
  let claims = 0;
  const claim = () => void claims++;
  const outcome = await postHook(FAR, {}, { signal, claim, isClaimed: () => claims > 0 });
  return { outcome, claims };
}

/** Pings a monitor at the end of a run; returns what was logged. */
async function ping(url: URL) {
  const { log, lines } = keepLines();
  await openHeartbeat({ url, log, signal, timeoutMs: 30_000 }).end(true);
  return lines;
}

describe("a proxy for HTTPS", () => {
  it("passes a web hook, which is claimed once", async () => {
    await using scene = await openScene();
    expect(await post()).toEqual({ outcome: { kind: "delivered" }, claims: 1 });
    expect(scene.proxy.asked).toEqual(["CONNECT far.example.test:443"]);
    expect(scene.server.requests).toMatchObject([{ method: "POST", url: "/hooks/T0/secret-path" }]);
  });

  it.each([
    [407, "refused"],
    [502, "temporary"],
  ])("that returns %i leaves a web hook unclaimed and %s", async (status, kind) => {
    await using scene = await openScene(status);
    const error = `Cannot reach far.example.test through the proxy http://${scene.proxy.host}: the proxy returned ${status}`;
    expect(await post()).toEqual({ outcome: { kind, error }, claims: 0 });
  });

  it("passes the ping of a heartbeat, and logs a refusal", async () => {
    await using scene = await openScene();
    expect(await ping(FAR)).toEqual([]);
    expect(scene.server.requests).toMatchObject([{ method: "GET", url: "/hooks/T0/secret-path" }]);
    await using refusing = await openScene(403);
    expect(await ping(FAR)).toMatchObject([
      { problem: "the proxy returned 403", proxy: `http://${refusing.proxy.host}` },
    ]);
  });
});

describe("a proxy for HTTP", () => {
  it("passes requests with their absolute URL", async () => {
    await using server = await startServer(text("", 200));
    await using proxy = await startForwardProxy(Number(server.url.port));
    vi.stubEnv("http_proxy", proxy.host);
    expect(await ping(new URL("http://far.example.test/ping"))).toEqual([]);
    expect(proxy.asked).toEqual(["GET http://far.example.test/ping"]);
  });
});

describe("adviseOnRoute", () => {
  const adviseOn = (reason: string) => adviseOnRoute(FAR, reason, "Check the network.");
  const IGNORED =
    "ALL_PROXY is set, but calltally only reads HTTPS_PROXY and HTTP_PROXY. To use an HTTP proxy, set these. Check the network.";

  it.each([
    { env: {}, advice: "Check the network." },
    { env: { ALL_PROXY: "socks5://ann:secret@all.example.test" }, advice: IGNORED },
    {
      env: { ALL_PROXY: "http://all.example.test", HTTPS_PROXY: "http://ann:secret@some.example.test" },
      advice: "Check HTTPS_PROXY, with the proxy's user and password, or add far.example.test to NO_PROXY.",
    },
    { env: { ALL_PROXY: "http://all.example.test", NO_PROXY: "example.test" }, advice: "Check the network." },
  ])("names the variable to check or to set: %o", ({ env, advice }) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    expect(adviseOn("getaddrinfo ENOTFOUND far.example.test")).toBe(advice);
  });

  it("names the setting for a certificate authority, whatever the proxy", () => {
    vi.stubEnv("ALL_PROXY", "http://all.example.test");
    expect(adviseOn("self-signed certificate")).toContain("NODE_EXTRA_CA_CERTS");
  });
});

describe("openRoute", () => {
  it.each(["directly", "by a proxy"])(
    "sends nothing if the announced connection is refused %s",
    async (how) => {
      await using scene = await openScene();
      await using near = await startServer();
      const target = how === "directly" ? near.url : FAR;
      const onConnected = () => {
        throw new Error("not now");
      };
      const route = openRoute(target, { connectMs: 5000, onConnected });
      const sent = route.request({ origin: target.origin, path: "/", method: "POST", body: "x" });
      await expect(sent).rejects.toThrow("not now");
      await route.destroy();
      expect([...near.requests, ...scene.server.requests]).toEqual([]);
    },
  );

  it("stops waiting for an unresponsive proxy after the connection timeout", async () => {
    await using scene = await openScene("none");
    const route = openRoute(FAR, { connectMs: 100 });
    const sent = route.request({ origin: FAR.origin, path: "/", method: "GET" });
    await expect(sent).rejects.toMatchObject({ code: "UND_ERR_HEADERS_TIMEOUT" });
    await route.destroy();
    expect(scene.proxy.asked).toHaveLength(1);
  });
});
