import { setImmediate } from "node:timers/promises";
import { toError } from "./error-data.ts";
import type { Reply, Request, Tasks } from "./serve-tasks.ts";

/** The near end of one call, to another thread or process. */
export interface Line {
  /** Resolves with the next reply. */
  readonly reply: (options: { signal: AbortSignal }) => Promise<Reply>;
  readonly post: (message: "next" | "abort") => void;
  /** Keeps this process alive, until `unref`. */
  readonly ref: () => void;
  readonly unref: () => void;
  /** Ends the task. */
  readonly close: () => void;
  /** Aborted once the thread or process has ended, with an error that says why. */
  readonly ended: AbortSignal;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Whether an abort waits until the task has left its files in order. @default false */
  isWriting?: boolean;
}

/** A thread or process that runs tasks. */
export abstract class Host<All extends Tasks> {
  /** Starts a task, which then waits for `next`. */
  protected abstract open(request: Request): Line;
  /** Aborted with what its calls throw from then on. */
  abstract readonly closed: AbortSignal;

  /**
   * Runs a task, which goes on whenever another of its values is asked for. Keeps this process alive only while it
   * waits.
   * @throws what the task throws, or the signal's reason
   */
  run<Name extends keyof All & string>(
    task: Name,
    args: Parameters<All[Name]>[1],
    options?: CallOptions,
  ): ReturnType<All[Name]>;
  async *run(
    task: string,
    args: unknown,
    { signal, isWriting = false }: CallOptions = {},
  ): AsyncGenerator<unknown, unknown, void> {
    const leave = AbortSignal.any([this.closed, ...(signal && !isWriting ? [signal] : [])]);
    leave.throwIfAborted();
    signal?.throwIfAborted();
    const line = this.open({ task, args });
    const stop = AbortSignal.any([leave, line.ended]);
    const ask = () => line.post("abort");
    if (isWriting) signal?.addEventListener("abort", ask);
    leave.addEventListener("abort", line.close);
    try {
      for (;;) {
        line.post("next");
        const reply = await receive(line, stop);
        if (!isWriting) leave.throwIfAborted();
        if ("error" in reply) throw reply.isAbort ? signal?.reason : toError(reply.error);
        if (reply.done) return reply.value;
        yield reply.value;
      }
    } finally {
      signal?.removeEventListener("abort", ask);
      leave.removeEventListener("abort", line.close);
      line.close();
    }
  }
}

async function receive(line: Line, stop: AbortSignal): Promise<Reply> {
  line.ref();
  try {
    const reply = await line.reply({ signal: stop });
    // A port passes on what has meanwhile arrived without a turn of the event loop.
    await setImmediate();
    return reply;
  } catch (error) {
    stop.throwIfAborted();
    throw error;
  } finally {
    line.unref();
  }
}
