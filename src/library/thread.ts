import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { toError } from "./error-data.ts";
import type { Reply, Tasks } from "./serve-tasks.ts";

interface Running {
  worker: Worker;
  /** Aborted once the thread has ended, with an error that says why. */
  ended: AbortSignal;
}

export interface RunOptions {
  signal?: AbortSignal | undefined;
  /** Whether an abort waits until the thread has left its files in order. @default false */
  isWriting?: boolean;
}

/** A worker thread, which starts with its first task. An idle one does not keep the process alive. */
export class Thread<All extends Tasks> implements Disposable {
  readonly #script: "read" | "sync";
  readonly #data: unknown;
  readonly #closed = new AbortController();
  #running: Running | undefined;

  /** @param data for the worker, as `workerData` */
  constructor(script: "read" | "sync", data?: unknown) {
    this.#script = script;
    this.#data = data;
  }

  /** Runs a task, which goes on whenever another of its values is asked for. @throws what it throws, or the signal's reason */
  run<Name extends keyof All & string>(
    task: Name,
    args: Parameters<All[Name]>[1],
    options?: RunOptions,
  ): ReturnType<All[Name]>;
  async *run(
    task: string,
    args: unknown,
    { signal, isWriting = false }: RunOptions = {},
  ): AsyncGenerator<unknown, unknown, void> {
    this.#closed.signal.throwIfAborted();
    signal?.throwIfAborted();
    const { worker, ended } = this.#start();
    const { port1: port, port2 } = new MessageChannel();
    worker.postMessage({ task, args, port: port2 }, [port2]);
    const stops = [this.#closed.signal, ended, ...(signal && !isWriting ? [signal] : [])];
    const stop = AbortSignal.any(stops);
    const abort = () => port.postMessage("abort");
    signal?.addEventListener("abort", abort);
    try {
      for (;;) {
        port.postMessage("next");
        const reply = await receive(port, stop);
        if ("error" in reply) throw reply.isAbort ? signal?.reason : toError(reply.error);
        if (reply.done) return reply.value;
        yield reply.value;
      }
    } finally {
      signal?.removeEventListener("abort", abort);
      port.close();
    }
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

/** The script is next to this one, in the source and where it is built. */
export function urlOf(script: string): URL {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return new URL(`./${script}.${extension}`, import.meta.url);
}

/** Keeps the process alive only while it waits. */
async function receive(port: MessagePort, stop: AbortSignal): Promise<Reply> {
  port.ref();
  try {
    const [reply] = await once(port, "message", { signal: stop });
    // A port passes on what has meanwhile arrived without a turn of the event loop.
    await setImmediate();
    return reply;
  } catch (error) {
    stop.throwIfAborted();
    throw error;
  } finally {
    port.unref();
  }
}
