import { isDeepStrictEqual } from "node:util";
import { workerData } from "node:worker_threads";
import Database from "better-sqlite3";
import { CalltallyError, describeError, EXIT } from "../errors.ts";
import type { FactValue } from "../rollup/engine.ts";
import { nameFile } from "../warehouse/sqlite-errors.ts";
import type { ClusterRows } from "./clickhouse-node.ts";
import { type ClusterValue, literal } from "./clickhouse-text.ts";
import { type Cluster, openCluster } from "./cluster.ts";
import {
  PUBLICATION_COLUMNS,
  type WorkerAnswer,
  type WorkerError,
  type WorkerQuestion,
  type WorkerTask,
} from "./cluster-reader.ts";
import { PUBLISHED_TABLE } from "./cluster-tables.ts";
import { readPublished } from "./published.ts";

/** The thread of a {@link ClusterReader}: asks the cluster, and writes what it says into a file. */

/** More rows are no table that a person reads. */
const MAX_ROWS = 20_000_000;

const FULL_HINT = "Free space there, or name another folder for temporary files in TMPDIR.";

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
    const isMoved = !isDeepStrictEqual(await readPublications(cluster, question), question.published);
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

/** Returns the publications of the accounts that are read, as they are now. */
async function readPublications(cluster: Cluster, { published }: WorkerQuestion): Promise<ClusterValue[][]> {
  const accounts = published.map(([account]) => literal(String(account))).join(", ");
  return await cluster.select(
    `SELECT ${PUBLICATION_COLUMNS.join(", ")} FROM ${cluster.table(PUBLISHED_TABLE)}
WHERE account IN (${accounts}) ORDER BY account, version DESC LIMIT 1 BY account`,
    { doing: "read what is published" },
  );
}

async function write(
  { table, columns, doing }: WorkerQuestion,
  { names, rows }: ClusterRows,
): Promise<number> {
  if (names.join() !== Object.keys(columns).join()) {
    throw new CalltallyError(EXIT.contract, `Cannot ${doing}: the cluster gives ${names.join(", ")}`);
  }
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

function toWorkerError(thrown: unknown): WorkerError {
  const error = nameFile(thrown, file);
  const message = describeError(error);
  if (!(error instanceof CalltallyError)) return { exitCode: EXIT.failed, message };
  const { exitCode, hint = exitCode === EXIT.storage ? FULL_HINT : undefined } = error;
  return { exitCode, message, hint };
}
