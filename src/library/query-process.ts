import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { QueryTasks } from "./query-child.ts";
import { Host, type Line } from "./remote-call.ts";
import { urlOf } from "./script-url.ts";
import type { Request } from "./serve-tasks.ts";

/** A process of its own for each query, killed as its call ends: SQLite hears of nothing during a statement. */
export class QueryProcess extends Host<QueryTasks> {
  readonly closed: AbortSignal;
  readonly #path: string;

  constructor(path: string, closed: AbortSignal) {
    super();
    this.#path = path;
    this.closed = closed;
  }

  protected open(request: Request): Line {
    const child = fork(urlOf("query-child"), [this.#path], { serialization: "advanced", execArgv: [] });
    child.unref();
    child.send(request);
    return {
      reply: (options) => once(child, "message", options).then(([reply]) => reply),
      post: (message) => child.send(message),
      ref: () => {
        child.ref();
        child.channel?.ref();
      },
      unref: () => {
        child.channel?.unref();
        child.unref();
      },
      close: () => child.kill("SIGKILL"),
      ended: endOf(child),
    };
  }
}

function endOf(child: ChildProcess): AbortSignal {
  const ended = new AbortController();
  child.on("error", (error) => ended.abort(error));
  child.on("exit", (code, by) =>
    ended.abort(new Error(`The process of the query has ended (${by ?? code})`)),
  );
  return ended.signal;
}
