import { createServer } from "node:http";
import { connect } from "node:net";
import { passOn, type SeenRequest, serve } from "./server.ts";

export interface ForwardProxy extends AsyncDisposable {
  /** `host:port` on this machine. */
  readonly host: string;
  /** Its requests: `CONNECT api.example.test:443`. */
  readonly asked: readonly string[];
  /** The headers with the logins. */
  readonly logins: readonly (string | undefined)[];
}

/**
 * Starts a real HTTP proxy on 127.0.0.1, which connects to a port of this machine for any requested host.
 * @param status of its responses to CONNECT. @default 200
 */
export async function startForwardProxy(port: number, status: number | "none" = 200): Promise<ForwardProxy> {
  const asked: string[] = [];
  const logins: (string | undefined)[] = [];
  const see = ({ method, url, headers }: Pick<SeenRequest, "method" | "url" | "headers">) => {
    asked.push(`${method} ${url}`);
    logins.push(headers["proxy-authorization"]);
  };
  const server = createServer();
  server.on("connect", ({ method = "", url = "", headers }, client) => {
    see({ method, url, headers });
    client.on("error", () => {});
    // The server does not close connections that it handed over.
    server.once("closing", () => client.destroy());
    if (status === "none") return;
    if (status !== 200) return void client.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
    const target = connect(port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connected\r\n\r\n");
      target.pipe(client).pipe(target);
    });
    target.on("error", () => client.destroy());
    client.on("close", () => target.destroy());
  });
  const pass = passOn(`http://127.0.0.1:${port}`);
  const listening = await serve(server, [
    (request, response) => {
      see(request);
      return pass(request, response);
    },
  ]);
  return {
    host: listening.url.host,
    asked,
    logins,
    async [Symbol.asyncDispose]() {
      server.emit("closing");
      await listening[Symbol.asyncDispose]();
    },
  };
}
