import { passOn, startServer } from "../../support/services/server.ts";

/** The fate of a request; a given response succeeds. */
export type Fate = "pass" | "swallow" | { said: string };
/** Decides about a request before it is passed on. */
type Decide = (statement: string) => Fate | Promise<Fate>;

/** A proxy for a server on this machine: each of its requests is decided about, and swallowed ones succeed. */
export async function startProxy(host: string, decide: Decide) {
  const pass = passOn(`http://${host}`);
  const server = await startServer(async (request, response) => {
    const query = new URL(request.url, "http://proxy").searchParams.get("query");
    const fate = await decide(query ?? request.body.toString());
    if (fate === "pass") return pass(request, response);
    if (fate !== "swallow") return response.end(fate.said);
    return response.setHeader("x-clickhouse-server-display-name", "swallower").end();
  });
  return { ...server, host: server.url.host };
}
