import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";
import Database from "better-sqlite3";
import { CalltallyError, EXIT } from "../errors.ts";
import { hasEnded, markProcess } from "../process-mark.ts";
import type { ClusterQuestion } from "./clickhouse-calls-sql.ts";
import type { ClusterValue } from "./clickhouse-text.ts";
import type { ClusterAccess } from "./cluster.ts";
import type { Published } from "./published.ts";

/** What the worker is started with; addresses as texts, since URLs cannot be sent. */
export interface WorkerTask {
  access: Omit<ClusterAccess, "address"> & {
    address: Omit<ClusterAccess["address"], "hosts"> & { hosts: string[] };
  };
  /** The SQLite file that answers are written to. */
  file: string;
  port: MessagePort;
  /** How many answers there have been on the port; is notified of each. */
  answered: Int32Array;
}

/** What the worker is asked: to put the answer to a question into a table. */
export interface WorkerQuestion extends ClusterQuestion {
  table: string;
  /** {@link PUBLICATION_COLUMNS} of the accounts that are read, when the reading began; an answer of another moment is none. */
  published: ClusterValue[][];
}

/** What tells a publication of an account from others. */
export const PUBLICATION_COLUMNS = ["account", "version", "published_at", "unfinished_since"] as const;

/** What it answers. */
export type WorkerAnswer = { published: Published[] } | { rows: number } | { error: WorkerError };

export interface WorkerError {
  exitCode: CalltallyError["exitCode"];
  message: string;
  hint?: string | undefined;
  /** Whether something else is published now than when the reading began. */
  isMoved?: boolean;
}

/** Thrown where a reading is not of one publication; the next one may be. */
export class PublicationMovedError extends CalltallyError {
  constructor(message: string, hint?: string) {
    super(EXIT.unreachable, message, hint === undefined ? {} : { hint });
  }
}

/** A thread that ends without an answer must not be waited for. */
const LONGEST_WAIT_MS = 15 * 60_000;

interface ReaderOptions {
  table: ClusterReader["table"];
  choose: (published: readonly Published[]) => readonly Published[];
  signal?: AbortSignal | undefined;
}

/**
 * Asks a cluster, and keeps what it says in tables of an SQLite file of its own. The questions of a session are synchronous:
 * a thread asks them, while this one waits. Dispose of it to end both.
 */
export class ClusterReader implements Disposable {
  /** The accounts that are read, when the reading began. */
  readonly published: readonly Published[];
  /** Returns the name of a table that reaches over all shards, as SQL takes it. */
  readonly table: (name: string) => string;
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #answered: Int32Array;
  readonly #folder: string;
  readonly #tables = new Map<string, string>();
  readonly #publications: ClusterValue[][];
  /** The first one says what is published. */
  #answers = 1;

  private constructor(
    published: readonly Published[],
    table: ClusterReader["table"],
    { worker, port, answered, folder }: Thread,
  ) {
    this.published = published;
    this.table = table;
    this.#worker = worker;
    this.#port = port;
    this.#answered = answered;
    this.#folder = folder;
    this.#publications = published.map((own) => PUBLICATION_COLUMNS.map((column) => own[column]));
  }

  /**
   * @param choose returns which of the accounts of the cluster are read
   * @throws CalltallyError (exit 2, 4, 5 or 8) that names the server which cannot be asked
   */
  static async open(access: ClusterAccess, { table, choose, signal }: ReaderOptions): Promise<ClusterReader> {
    const thread = startThread(access);
    try {
      const [answer]: WorkerAnswer[] = await once(thread.port, "message", signal ? { signal } : {});
      thread.port.removeAllListeners("message");
      if (answer === undefined || "rows" in answer)
        throw new Error("The thread did not say what is published");
      if ("error" in answer) throw toError(answer.error);
      return new ClusterReader(choose(answer.published), table, thread);
    } catch (error) {
      endThread(thread);
      throw error;
    }
  }

  /** Opens the file that the answers are in; for reading, with temporary tables beside it. */
  openAnswers(): Database.Database {
    return new Database(join(this.#folder, ANSWERS), { readonly: true });
  }

  /** Puts the answer to a question into a table, unless it is there; returns the name of the table. */
  ask({ sql, columns, doing }: ClusterQuestion): string {
    const known = this.#tables.get(sql);
    if (known !== undefined) return known;
    const table = `answer_${this.#tables.size + 1}`;
    const question: WorkerQuestion = { sql, columns, doing, table, published: this.#publications };
    this.#port.postMessage(question);
    this.#awaitAnswer(doing);
    const received: { message: WorkerAnswer } | undefined = receiveMessageOnPort(this.#port);
    if (received === undefined) throw new Error("There is no answer");
    if ("error" in received.message) throw toError(received.message.error);
    this.#tables.set(sql, table);
    return table;
  }

  /** By their number: the thread may still be at telling of the one before. */
  #awaitAnswer(doing: string): void {
    this.#answers++;
    using _ = letSignalsEnd();
    for (let heard = 0; heard < this.#answers; heard = Atomics.load(this.#answered, 0)) {
      if (Atomics.wait(this.#answered, 0, heard, LONGEST_WAIT_MS) === "timed-out") {
        throw new CalltallyError(EXIT.unreachable, `Cannot ${doing}: the cluster has not responded in time`);
      }
    }
  }

  [Symbol.dispose](): void {
    endThread({ worker: this.#worker, port: this.#port, answered: this.#answered, folder: this.#folder });
  }
}

interface Thread {
  worker: Worker;
  port: MessagePort;
  answered: Int32Array;
  folder: string;
}

/** Lets signals end the process, since nobody listens to them while this thread waits. */
function letSignalsEnd(): Disposable {
  const listeners = (["SIGINT", "SIGTERM"] as const).flatMap((signal) =>
    process.listeners(signal).map((listener) => ({ signal, listener })),
  );
  for (const { signal, listener } of listeners) process.off(signal, listener);
  return {
    [Symbol.dispose]: () => {
      for (const { signal, listener } of listeners) process.on(signal, listener);
    },
  };
}

const ANSWERS = "answers.db";
const FOLDER_FORM = /^calltally-answers-(?<mark>.+)-\w+$/;

/** Makes a folder for answers, and removes those that killed processes have left. */
function makeAnswersFolder(): string {
  const within = tmpdir();
  for (const name of readdirSync(within)) {
    const { mark } = FOLDER_FORM.exec(name)?.groups ?? {};
    if (mark === undefined || !hasEnded(mark)) continue;
    try {
      rmSync(join(within, name), { recursive: true, force: true });
    } catch {
      // It is another user's.
    }
  }
  return mkdtempSync(join(within, `calltally-answers-${markProcess()}-`));
}

function startThread({ address, ...access }: ClusterAccess): Thread {
  const folder = makeAnswersFolder();
  const { port1: port, port2 } = new MessageChannel();
  const answered = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const task: WorkerTask = {
    access: { ...access, address: { ...address, hosts: address.hosts.map(({ href }) => href) } },
    file: join(folder, ANSWERS),
    port: port2,
    answered,
  };
  // As it is here while it is developed, or as it was built.
  const name = import.meta.url.endsWith(".ts") ? "./cluster-worker.ts" : "./cluster-worker.js";
  const worker = new Worker(new URL(name, import.meta.url), { workerData: task, transferList: [port2] });
  worker.unref();
  return { worker, port, answered, folder };
}

function endThread({ worker, port, folder }: Thread): void {
  port.close();
  void worker.terminate();
  rmSync(folder, { recursive: true, force: true });
}

function toError({ exitCode, message, hint, isMoved }: WorkerError): CalltallyError {
  if (isMoved) return new PublicationMovedError(message, hint);
  return new CalltallyError(exitCode, message, hint === undefined ? {} : { hint });
}
