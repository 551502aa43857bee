import { type MessagePort, parentPort } from "node:worker_threads";
import { type ErrorData, toData } from "./error-data.ts";

/** What a worker can be asked: each yields values, and returns a result. Arguments and values are cloned. */
export type Tasks = Readonly<
  Record<string, (signal: AbortSignal, args: never) => AsyncGenerator<unknown, unknown, void>>
>;

export type Reply = IteratorResult<unknown> | { error: ErrorData; isAbort: boolean };

/** Runs the tasks that the thread's owner asks for, until the owner closes it. */
export function serveTasks(tasks: Tasks): void {
  const ports = new Set<MessagePort>();
  parentPort?.on("message", (message: "close" | { task: string; args: never; port: MessagePort }) => {
    if (message === "close") {
      for (const port of ports) port.close();
      return parentPort?.close();
    }
    const stop = new AbortController();
    const steps = tasks[message.task]?.(stop.signal, message.args);
    if (steps === undefined) return;
    ports.add(message.port);
    message.port.on("close", () => ports.delete(message.port));
    serve(steps, stop, message.port);
  });
}

function serve(steps: ReturnType<Tasks[string]>, stop: AbortController, port: MessagePort): void {
  const reply = async (): Promise<Reply> => {
    try {
      return await steps.next();
    } catch (error) {
      return { error: toData(error), isAbort: error === stop.signal.reason };
    }
  };
  port.on("message", async (message: "next" | "abort") => {
    if (message === "abort") return stop.abort();
    port.postMessage(await reply());
  });
  // Its owner wants no more of it.
  port.on("close", async () => {
    stop.abort();
    await steps.return(undefined).catch(() => {});
  });
}
