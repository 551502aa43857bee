import { type MessagePort, parentPort } from "node:worker_threads";
import { type ErrorData, toData } from "./error-data.ts";

/** What a thread or process can be asked: each yields values, and returns a result. Arguments and values are cloned. */
export type Tasks = Readonly<
  Record<string, (signal: AbortSignal, args: never) => AsyncGenerator<unknown, unknown, void>>
>;

export interface Request {
  task: string;
  args: unknown;
}

export type Reply = IteratorResult<unknown> | { error: ErrorData; isAbort: boolean };

/** The far end of one call. */
interface FarEnd {
  onMessage(listener: (message: "next" | "abort") => void): void;
  onClose(listener: () => void): void;
  reply(reply: Reply): void;
}

type Received = Request & { args: never };

/** Runs the tasks that the owner of this thread asks for, until it closes the thread; in a process, one task. */
export function serveTasks(tasks: Tasks): void {
  if (parentPort === null) {
    process.once("message", (request: Received) => serve(tasks, request, PROCESS));
    return;
  }
  const owner = parentPort;
  const ports = new Set<MessagePort>();
  owner.on("message", (message: "close" | (Received & { port: MessagePort })) => {
    if (message === "close") {
      for (const port of ports) port.close();
      return owner.close();
    }
    const { port } = message;
    ports.add(port);
    port.on("close", () => ports.delete(port));
    serve(tasks, message, farEndOf(port));
  });
}

const PROCESS: FarEnd = {
  onMessage: (listener) => process.on("message", listener),
  onClose: (listener) => process.on("disconnect", listener),
  reply: (reply) => process.send?.(reply),
};

const farEndOf = (port: MessagePort): FarEnd => ({
  onMessage: (listener) => port.on("message", listener),
  onClose: (listener) => port.on("close", listener),
  reply: (reply) => port.postMessage(reply),
});

function serve(tasks: Tasks, { task, args }: Received, end: FarEnd): void {
  const stop = new AbortController();
  const steps = tasks[task]?.(stop.signal, args);
  if (steps === undefined) return;
  const next = async (): Promise<Reply> => {
    try {
      return await steps.next();
    } catch (error) {
      return { error: toData(error), isAbort: error === stop.signal.reason };
    }
  };
  end.onMessage(async (message) => {
    if (message === "abort") return stop.abort();
    end.reply(await next());
  });
  // The near end wants no more of it.
  end.onClose(async () => {
    stop.abort();
    await steps.return(undefined).catch(() => {});
  });
}
