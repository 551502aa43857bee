import Database from "better-sqlite3";
import pLimit from "p-limit";
import { CalltallyError, EXIT } from "../base/errors.ts";
import { sqliteErrorOf } from "../warehouse/sqlite-errors.ts";
import type { ClusterQuestion } from "./clickhouse-calls-sql.ts";
import { type ClusterRow, literal } from "./clickhouse-text.ts";
import type { Cluster } from "./cluster.ts";
import { PUBLISHED_TABLE } from "./cluster-tables.ts";
import type { Published } from "./published.ts";

/** Larger tables are unreadable. */
const MAX_ROWS = 20_000_000;
const BATCH = 1000;

/** Thrown if what was read mixes two publications; a second attempt may succeed. */
export class PublicationMovedError extends CalltallyError {
  constructor(message: string, hint: string) {
    super(EXIT.unreachable, message, { hint });
  }
}

/** Asks a cluster one question at a time, and keeps the responses in tables of a private database until disposed. */
export class ClusterReader implements Disposable {
  /** The accounts, as they were when reading began. */
  readonly published: readonly Published[];
  /** In memory, and beyond some megabytes in a file that no other process can open. */
  readonly database = new Database("");
  readonly #cluster: Cluster;
  readonly #signal: AbortSignal | undefined;
  readonly #tables = new Map<string, Promise<string>>();
  readonly #oneAtOnce = pLimit(1);
  #made = 0;

  constructor(cluster: Cluster, published: readonly Published[], signal: AbortSignal | undefined) {
    this.published = published;
    this.#cluster = cluster;
    this.#signal = signal;
  }

  readonly table = (name: string) => this.#cluster.table(name);

  makeTable(columns: string): string {
    const table = `table_${++this.#made}`;
    this.database.exec(`CREATE TABLE ${table} (${columns})`);
    return table;
  }

  /** Returns the table with the response. @throws PublicationMovedError if something was published since reading began */
  ask(question: ClusterQuestion): Promise<string> {
    const known = this.#tables.get(question.sql) ?? this.#oneAtOnce(() => this.#ask(question));
    this.#tables.set(question.sql, known);
    return known;
  }

  async #ask(question: ClusterQuestion): Promise<string> {
    const table = await this.#store(question).catch((error: unknown) => {
      throw toTemporaryFileError(error);
    });
    if (await this.#isStill()) return table;
    throw new PublicationMovedError(
      "Cannot read the cluster at one moment: something was published meanwhile",
      "Try again later.",
    );
  }

  async #store({ sql, columns, doing }: ClusterQuestion): Promise<string> {
    const names = Object.keys(columns);
    const declared = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
    const table = this.makeTable(declared.join(", "));
    const insert = this.database.prepare<ClusterRow>(
      `INSERT INTO ${table} VALUES (${names.map((name) => `@${name}`).join(", ")})`,
    );
    const insertAll = this.database.transaction((batch: readonly ClusterRow[]) => {
      for (const row of batch) insert.run(row);
    });
    let batch: ClusterRow[] = [];
    let count = 0;
    for await (const row of this.#cluster.iterate(sql, { doing, signal: this.#signal })) {
      if (++count > MAX_ROWS) {
        throw new CalltallyError(EXIT.usage, `Cannot ${doing}: more than ${MAX_ROWS} rows`, {
          hint: "Use a shorter period, a coarser grain, or fewer dimensions.",
        });
      }
      if (batch.push(row) < BATCH) continue;
      insertAll(batch);
      batch = [];
    }
    insertAll(batch);
    return table;
  }

  /** Whether the accounts are unchanged since reading began: each publication writes new versions. */
  async #isStill(): Promise<boolean> {
    const accounts = this.published.map(({ account }) => literal(account)).join(", ");
    const rows = await this.#cluster.select(
      `SELECT account, max(version) AS newest FROM ${this.table(PUBLISHED_TABLE)} WHERE account IN (${accounts}) GROUP BY account`,
      { doing: "read what is published", signal: this.#signal },
    );
    const newest = new Map(rows.map((row) => [row.account, Number(row.newest)]));
    return this.published.every(({ account, version }) => newest.get(account) === version);
  }

  [Symbol.dispose](): void {
    this.database.close();
  }
}

function toTemporaryFileError(error: unknown): unknown {
  const cause = sqliteErrorOf(error);
  if (cause === undefined) return error;
  return new CalltallyError(EXIT.storage, `Cannot write a temporary file (${cause.code})`, {
    cause,
    hint: "Free space in the folder for temporary files, or name another one in TMPDIR.",
  });
}
