import { once } from "node:events";
import { connect } from "node:net";
import { createServer } from "node:tls";
import { selfSigned } from "./certificate.ts";

/** Starts a TLS server for a made-up name, which forwards everything to a port of this machine. */
export async function startTlsFront(name: string, port: number) {
  const identity = selfSigned(name);
  const server = createServer(identity, (client) => {
    const target = connect(port, "127.0.0.1");
    target.pipe(client).pipe(target);
    for (const [one, other] of [
      [client, target],
      [target, client],
    ] as const) {
      one.on("error", () => {}).on("close", () => other.destroy());
    }
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error(`No port: ${address}`);
  return { port: address.port, cert: identity.cert, [Symbol.dispose]: () => void server.close() };
}
