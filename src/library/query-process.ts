import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { SqlValue } from "../warehouse/run-query.ts";
import { type ErrorData, toError } from "./error-data.ts";
import type { Query } from "./parse-options.ts";
import type { Batch } from "./read-rows.ts";
import { urlOf } from "./thread.ts";

/** What the process sends when it is asked for rows. */
export type QueryReply = IteratorResult<Batch<SqlValue>, void> | { error: ErrorData };

/**
 * Runs a query in a process of its own, which the signal kills: SQLite hears of nothing during a statement. Keeps this
 * process alive only while it waits.
 * @throws the signal's reason, and what the query throws
 */
export async function* queryInProcess(
  path: string,
  query: Query,
  signal: AbortSignal,
): AsyncGenerator<Batch<SqlValue>, void, void> {
  signal.throwIfAborted();
  const child = fork(urlOf("query-child"), [path], { serialization: "advanced", execArgv: [] });
  child.unref();
  child.on("error", () => {}); // what waits for a reply throws it
  const kill = () => child.kill("SIGKILL");
  signal.addEventListener("abort", kill);
  try {
    child.send(query);
    for (;;) {
      child.send("next");
      const reply = await receive(child).finally(() => signal.throwIfAborted());
      if ("error" in reply) throw toError(reply.error);
      if (reply.done) return;
      yield reply.value;
    }
  } finally {
    signal.removeEventListener("abort", kill);
    kill();
  }
}

/** @throws Error if the process ends instead */
async function receive(child: ChildProcess): Promise<QueryReply> {
  const stop = new AbortController();
  child.ref();
  child.channel?.ref();
  try {
    const ended = once(child, "exit", { signal: stop.signal }).then(([code, by]) => {
      throw new Error(`The process of the query has ended (${by ?? code})`);
    });
    const [reply] = await Promise.race([once(child, "message", { signal: stop.signal }), ended]);
    return reply;
  } finally {
    stop.abort();
    child.channel?.unref();
    child.unref();
  }
}
