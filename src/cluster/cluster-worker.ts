import { workerData } from "node:worker_threads";
import Database from "better-sqlite3";
import { CalltallyError, describeError, EXIT } from "../errors.ts";
import type { FactValue } from "../rollup/engine.ts";
import type { ClusterRows } from "./clickhouse-node.ts";
import { type Cluster, openCluster } from "./cluster.ts";
import type { WorkerAnswer, WorkerError, WorkerQuestion, WorkerTask } from "./cluster-reader.ts";
import { readPublished } from "./published.ts";

/** The thread of a {@link ClusterReader}: asks the cluster, and writes what it says into a file. */

/** More rows are no table that a person reads. */
const MAX_ROWS = 20_000_000;

const { access, file, port, answered }: WorkerTask = workerData;
const answers = new Database(file);
answers.pragma("journal_mode = WAL"); // an answer is written while another one is read
answers.pragma("synchronous = OFF");
let cluster: Cluster | undefined;

try {
  const { address } = access;
  cluster = await openCluster({
    ...access,
    address: { ...address, hosts: address.hosts.map((host) => new URL(host)) },
  });
  say({ published: await readPublished(cluster) });
} catch (error) {
  say({ error: toWorkerError(error) });
}

port.on("message", async (question: WorkerQuestion) => {
  try {
    if (cluster === undefined) throw new Error("There is no cluster");
    const rows = await write(question, await cluster.iterate(question.sql, question));
    const isMoved = JSON.stringify(await readPublished(cluster)) !== question.published;
    say(isMoved ? { error: MOVED } : { rows });
  } catch (error) {
    say({ error: toWorkerError(error) });
  }
});

const MOVED: WorkerError = {
  exitCode: EXIT.unreachable,
  message: "Cannot read the cluster at one moment: something was published meanwhile",
  hint: "Try again later.",
  isMoved: true,
};

async function write(
  { table, columns, doing }: WorkerQuestion,
  { names, rows }: ClusterRows,
): Promise<number> {
  if (names.join() !== Object.keys(columns).join()) throw new Error(`The cluster gives ${names.join(", ")}`);
  const declared = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
  answers.exec(`CREATE TABLE ${table} (${declared.join(", ")})`);
  const insert = answers.prepare<FactValue[]>(
    `INSERT INTO ${table} VALUES (${names.map(() => "?").join(", ")})`,
  );
  let count = 0;
  answers.exec("BEGIN");
  try {
    for await (const row of rows) {
      insert.run(...row);
      if (++count > MAX_ROWS) {
        throw new CalltallyError(EXIT.usage, `Cannot ${doing}: they are more than ${MAX_ROWS} rows`, {
          hint: "Use a shorter period, a coarser grain, or fewer dimensions.",
        });
      }
    }
    answers.exec("COMMIT");
  } catch (error) {
    answers.exec("ROLLBACK");
    throw error;
  }
  return count;
}

function say(answer: WorkerAnswer): void {
  port.postMessage(answer);
  Atomics.add(answered, 0, 1);
  Atomics.notify(answered, 0);
}

function toWorkerError(error: unknown): WorkerError {
  if (error instanceof CalltallyError) {
    const { exitCode, message, hint } = error;
    return { exitCode, message, hint };
  }
  return { exitCode: EXIT.failed, message: describeError(error) };
}
