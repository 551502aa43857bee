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

/** The far end of one call: a port, or the channel of a process. */
interface FarLine {
  on(event: "message", listener: (message: "next" | "abort") => void): unknown;
  on(event: "close", listener: () => void): unknown;
  post(reply: Reply): void;
}

type Received = Omit<Request, "args"> & { args: never };

/** Runs the tasks that the owner of this thread asks for, until it closes it; or the one task of this process. */
export function serveTasks(tasks: Tasks): void {
  if (parentPort === null) {
    process.once("message", (request: Received) => serve(tasks, request, CHANNEL));
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
    serve(tasks, message, { on: port.on.bind(port), post: (reply) => port.postMessage(reply) });
  });
}
