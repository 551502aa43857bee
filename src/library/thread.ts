import { once } from "node:events";
import { MessageChannel, Worker } from "node:worker_threads";
import { Host, type Line } from "./remote-call.ts";
import { urlOf } from "./script-url.ts";
import type { Request, Tasks } from "./serve-tasks.ts";

interface Running {
  worker: Worker;
  /** Aborted once the thread has ended, with an error that says why. */
  ended: AbortSignal;
}

/** A worker thread, which starts with its first task. An idle one does not keep the process alive. */
export class Thread<All extends Tasks> extends Host<All> implements Disposable {
  readonly #script: "read" | "sync";
  readonly #data: unknown;
  readonly #closed = new AbortController();
  #running: Running | undefined;

  /** @param data for the worker, as `workerData` */
  constructor(script: "read" | "sync", data?: unknown) {
    super();
    this.#script = script;
    this.#data = data;
  }

  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  protected open(request: Request): Line {
    const { worker, ended } = this.#start();
    const { port1: port, port2 } = new MessageChannel();
    worker.postMessage({ ...request, port: port2 }, [port2]);
    return {
      reply: (options) => once(port, "message", options).then(([reply]) => reply),
      post: (message) => port.postMessage(message),
      ref: () => port.ref(),
      unref: () => port.unref(),
      close: () => port.close(),
      ended,
    };
  }

  /** Ends it; what waits for it is rejected with this error, and so is what is asked later. */
  close(reason: Error): void {
    this.#closed.abort(reason);
    this[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.#running?.worker.postMessage("close");
  }

  /** Resolves once it has ended, after it was closed. */
  async ended(): Promise<void> {
    const worker = this.#running?.worker;
    worker?.ref();
    if (worker) await once(worker, "exit");
  }

  #start(): Running {
    if (this.#running) return this.#running;
    // Options of this process such as --input-type are not for a worker.
    const worker = new Worker(urlOf(`${this.#script}-worker`), { workerData: this.#data, execArgv: [] });
    const ended = new AbortController();
    const end = (cause?: unknown) => {
      this.#running = undefined;
      ended.abort(new Error("The thread of calltally has ended", { cause }));
    };
    worker.on("error", end).on("exit", () => end());
    worker.unref();
    this.#running = { worker, ended: ended.signal };
    return this.#running;
  }
}
