import { createServer, request } from "node:http";
import { listen } from "../../support/bad-server.ts";

/** The fate of a request; a given response succeeds. */
export type Fate = "pass" | "swallow" | { said: string };
/** Decides about a request before it is passed on. */
type Decide = (statement: string) => Fate | Promise<Fate>;

/** A proxy for a server on this machine: each of its requests is decided about, and swallowed ones succeed. */
export async function startProxy(host: string, decide: Decide) {
  const [hostname, port] = host.split(":");
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const query = new URL(incoming.url ?? "/", "http://proxy").searchParams.get("query");
    const fate = await decide(query ?? body.toString());
    if (fate === "swallow") outgoing.setHeader("x-clickhouse-server-display-name", "swallower");
    if (fate === "swallow") return void outgoing.end();
    if (fate !== "pass") return void outgoing.end(fate.said);
    const { headers, method, url } = incoming;
    const passed = request({ hostname, port, path: url, method, headers, agent: false }, (response) => {
      outgoing.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    passed.end(body);
  });
  const listening = await listen(server);
  return { ...listening, host: `127.0.0.1:${listening.port}` };
}
