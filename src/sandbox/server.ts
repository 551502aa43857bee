import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { ATTRIBUTION_PATH, attributionRoutes } from "./attribution.ts";
import { requireBearer } from "./auth.ts";
import { SandboxCalls } from "./calls.ts";
import { fail, type SandboxEnv } from "./envelope.ts";
import { createFaultDraw } from "./faults.ts";
import { parseOptions, type SandboxOptions, type SandboxSettings } from "./options.ts";
import { churn, type LoggedRequest, logAndDisturb } from "./traffic.ts";

export type { SandboxCalls } from "./calls.ts";
export { FAULT_KINDS, type FaultKind } from "./faults.ts";
export type { SandboxOptions } from "./options.ts";
export type { LoggedRequest } from "./traffic.ts";

const HOST = "127.0.0.1";

/** A running sandbox; it ends with `close()` or with the scope of its `await using`. */
export interface Sandbox extends AsyncDisposable {
  /** Base address, such as http://127.0.0.1:43211. */
  readonly url: string;
  readonly token: string;
  /**
   * The live calls: a test may insert, remove and edit them between requests. With the order "random" no
   * answer shows them in the order of their `ids`.
   */
  readonly calls: SandboxCalls;
  /** The last 10,000 attribution requests. */
  readonly requests: readonly LoggedRequest[];
  /** Stops listening and closes open sockets at once. */
  close(): Promise<void>;
}

/**
 * Starts a local server of API v3 on 127.0.0.1, with made-up calls.
 *
 * @throws {RangeError} when an option is out of its bounds.
 * @throws the system's error when the port cannot be had.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = parseOptions(options);
  const { seed, order, now, token } = settings;
  const calls = new SandboxCalls({
    seed,
    count: settings.calls,
    order: order === "random" ? "shuffled" : order,
    now,
  });
  const requests: LoggedRequest[] = [];
  const app = createApp(settings, calls, requests);

  // Hono's adapter would replace the process's Request and Response; a test's own fetch must not notice us.
  const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  server.listen(settings.port, HOST);
  await once(server, "listening");

  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= closeServer(server);
    return closed;
  };
  return { url: addressOf(server), token, calls, requests, close, [Symbol.asyncDispose]: close };
}

function createApp(
  settings: SandboxSettings,
  calls: SandboxCalls,
  requests: LoggedRequest[],
): Hono<SandboxEnv> {
  const { seed, latencyMs } = settings;
  const app = new Hono<SandboxEnv>();
  app.notFound((context) => fail(context, 404, "Not found"));
  app.onError((error, context) => fail(context, 500, error.message));

  if (latencyMs > 0) {
    app.use(async (_context, next) => {
      await sleep(latencyMs, undefined, { ref: false });
      await next();
    });
  }
  app.use(
    ATTRIBUTION_PATH,
    churn(calls, settings),
    logAndDisturb(requests, createFaultDraw(seed, settings.faults, settings.faultRate)),
  );
  app.use("/v3/*", requireBearer(settings.token));
  app.route(
    "/",
    attributionRoutes({ calls, seed, reshuffle: settings.order === "random", pageCap: settings.pageCap }),
  );
  return app;
}

function addressOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === "string")
    throw new Error(`Cannot tell the sandbox's port: ${address}`);
  return `http://${HOST}:${address.port}`;
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}
