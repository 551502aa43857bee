import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterEach, beforeEach, vi } from "vitest";
import { startForwardProxy } from "./forward-proxy.ts";
import { startTlsServer, text } from "./server.ts";

const trusted = getCACertificates("default");

/** Runs each test of a file without proxies of the environment. */
export function isolateProxies(): void {
  beforeEach(() => {
    for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"]) {
      vi.stubEnv(name, "");
      vi.stubEnv(name.toLowerCase(), undefined);
    }
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    setDefaultCACertificates(trusted);
  });
}

/** A server with TLS under a made-up name, which only a proxy reaches. */
export async function openScene(status?: number | "none") {
  const stack = new AsyncDisposableStack();
  const answer = text("", 200, { "x-clickhouse-server-display-name": "far" });
  const server = stack.use(await startTlsServer("far.example.test", answer));
  const proxy = stack.use(await startForwardProxy(Number(server.url.port), status));
  setDefaultCACertificates([...trusted, server.cert]);
  vi.stubEnv("HTTPS_PROXY", `http://ann:secret@${proxy.host}`);
  return { server, proxy, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
