import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { createApp, createWorld, type World } from "./app.ts";
import type { LoggedDelivery } from "./deliveries.ts";
import { parseOptions, type SandboxOptions } from "./sandbox-options.ts";

export { FAULT_KINDS, type FaultKind } from "./faults.ts";
export type { SandboxOptions } from "./sandbox-options.ts";

const HOST = "127.0.0.1";

/** A running sandbox; it ends with `close()` or its `await using` scope. */
export interface Sandbox extends Omit<World, "deliveries">, AsyncDisposable {
  /** Base address, such as http://127.0.0.1:43211. */
  readonly url: string;
  readonly token: string;
  /** The last 10,000 events for webhooks that have ended. */
  readonly deliveries: readonly LoggedDelivery[];
  /** Waits until no delivery is pending; events for an inactive webhook do not count. */
  settleDeliveries(): Promise<void>;
  close(): Promise<void>;
}

/** @throws RangeError for an option out of its bounds; the system's error if the port is unavailable */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = parseOptions(options);
  const world = createWorld(settings);
  const app = createApp(settings, world);

  // Hono's adapter would replace the process's Request and Response, which a test's own fetch uses.
  const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  // The demo is its own client: after a stall it would use again a connection that the server just closed.
  server.keepAliveTimeout = 0;
  server.listen(settings.port, HOST);
  await once(server, "listening");

  const { deliveries } = world;
  let closed: Promise<unknown> | undefined;
  const close = async () => {
    closed ??= Promise.all([closeServer(server), deliveries.close()]);
    await closed;
  };
  return {
    ...world,
    url: addressOf(server),
    token: settings.token,
    deliveries: deliveries.log,
    settleDeliveries: () => deliveries.settled(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function addressOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === "string")
    throw new Error(`Cannot find the sandbox's port: ${address}`);
  return `http://${HOST}:${address.port}`;
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}
