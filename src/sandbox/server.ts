import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { createApp } from "./app.ts";
import type { SandboxCalls } from "./calls/call-store.ts";
import type { SandboxInsights } from "./insight/insight-store.ts";
import { parseOptions, type SandboxOptions } from "./sandbox-options.ts";
import type { LoggedRequest } from "./traffic.ts";
import type { LoggedDelivery } from "./webhook/deliveries.ts";
import type { SandboxWebhooks } from "./webhook/webhook-store.ts";
import { createWorld } from "./world.ts";

export type { SandboxCalls } from "./calls/call-store.ts";
export { FAULT_KINDS, type FaultKind } from "./faults.ts";
export type { SandboxOptions } from "./sandbox-options.ts";

const HOST = "127.0.0.1";

/** A running sandbox; it ends with `close()` or with the scope of its `await using`. */
export interface Sandbox extends AsyncDisposable {
  /** Base address, such as http://127.0.0.1:43211. */
  readonly url: string;
  readonly token: string;
  /**
   * The live calls: a test may insert, remove and edit them between requests, also so that they have no DNI
   * session data and are not listed. With the order "random" no response shows them in the order of their `ids`.
   */
  readonly calls: SandboxCalls;
  /** Insights 101 (keywords), 102 (LLM), 103 (deleted) and 104 (with a draft); a test may edit them. */
  readonly insights: SandboxInsights;
  /** Webhooks 44 (active), 45 (inactive) and 46 (deleted); a test may edit them. */
  readonly webhooks: SandboxWebhooks;
  /** The last 10,000 requests of the four operations. */
  readonly requests: readonly LoggedRequest[];
  /** The last 10,000 events for webhooks, once they have ended. */
  readonly deliveries: readonly LoggedDelivery[];
  /** Waits until no delivery is waiting or under way; events held for an inactive webhook do not count. */
  settleDeliveries(): Promise<void>;
  /** Stops listening, closes open sockets and breaks off deliveries at once. */
  close(): Promise<void>;
}

/**
 * Starts a local server of API v3 on 127.0.0.1, with made-up calls, insights and webhooks.
 *
 * @throws {RangeError} when an option is out of its bounds.
 * @throws the system's error when the port cannot be had.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = parseOptions(options);
  const world = createWorld(settings);
  const app = createApp(settings, world);

  // Hono's adapter would replace the process's Request and Response; a test's own fetch must not notice us.
  const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  server.listen(settings.port, HOST);
  await once(server, "listening");

  const { calls, insights, webhooks, requests, deliveries } = world;
  let closed: Promise<unknown> | undefined;
  const close = async () => {
    closed ??= Promise.all([closeServer(server), deliveries.close()]);
    await closed;
  };
  return {
    url: addressOf(server),
    token: settings.token,
    calls,
    insights,
    webhooks,
    requests,
    deliveries: deliveries.log,
    settleDeliveries: () => deliveries.settled(),
    close,
    [Symbol.asyncDispose]: close,
  };
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
