import { isDeepStrictEqual } from "node:util";
import Database from "better-sqlite3";
import pLimit from "p-limit";
import { CalltallyError, EXIT } from "../base/errors.ts";
import type { FactValue } from "../rollup/engine.ts";
import { sqliteErrorOf } from "../warehouse/sqlite-errors.ts";
import type { ClusterQuestion } from "./clickhouse-calls-sql.ts";
import { type ClusterValue, literal } from "./clickhouse-text.ts";
import type { Cluster } from "./cluster.ts";
import { PUBLISHED_TABLE } from "./cluster-tables.ts";
import type { Published } from "./published.ts";

/** What distinguishes a publication of an account from others. */
const PUBLICATION_COLUMNS = ["account", "version", "published_at", "unfinished_since"] as const;

/** Larger tables are unreadable. */
const MAX_ROWS = 20_000_000;
/** Rows that are inserted together. */
const BATCH = 1000;

/** Thrown where a reading is not of one publication; the next one may be. */
export class PublicationMovedError extends CalltallyError {
  constructor(message: string, hint?: string) {
    super(EXIT.unreachable, message, hint === undefined ? {} : { hint });
  }
}

/**
 * Asks a cluster about some accounts, one question after the other, and keeps the responses in tables of a private database.
 * Dispose of it to delete them.
 */
export class ClusterReader implements Disposable {
  /** The accounts that are read, when the reading began. */
  readonly published: readonly Published[];
  /** Where the responses are: in memory, and beyond some megabytes in a file that no other process can open. */
  readonly database = new Database("");
  readonly #cluster: Cluster;
  readonly #signal: AbortSignal | undefined;
  readonly #publications: ClusterValue[][];
  readonly #tables = new Map<string, Promise<string>>();
  readonly #oneAtOnce = pLimit(1);
  #made = 0;

  constructor(cluster: Cluster, published: readonly Published[], signal: AbortSignal | undefined) {
    this.published = published;
    this.#cluster = cluster;
    this.#signal = signal;
    this.#publications = published.map((own) => PUBLICATION_COLUMNS.map((column) => own[column]));
  }

  /** Returns the name of a table that reaches over all shards, as SQL takes it. */
  readonly table = (name: string) => this.#cluster.table(name);

  /** Makes an empty table, and returns its name, which no other table has. */
  makeTable(columns: string): string {
    const table = `table_${++this.#made}`;
    this.database.exec(`CREATE TABLE ${table} (${columns})`);
    return table;
  }

  /**
   * Puts the response to a question into a table, unless it is there; returns the name of the table.
   *
   * @throws PublicationMovedError where something was published since the reading began
   */
  ask(question: ClusterQuestion): Promise<string> {
    const known = this.#tables.get(question.sql) ?? this.#oneAtOnce(() => this.#ask(question));
    this.#tables.set(question.sql, known);
    return known;
  }

  async #ask(question: ClusterQuestion): Promise<string> {
    const table = await this.#store(question).catch((error: unknown) => {
      throw toTemporaryFileError(error);
    });
    if (isDeepStrictEqual(await this.#readPublications(), this.#publications)) return table;
    throw new PublicationMovedError(
      "Cannot read the cluster at one moment: something was published meanwhile",
      "Try again later.",
    );
  }

  async #store({ sql, columns, doing }: ClusterQuestion): Promise<string> {
    const { names, rows } = await this.#cluster.iterate(sql, { doing, signal: this.#signal });
    if (names.join() !== Object.keys(columns).join()) {
      throw new CalltallyError(EXIT.contract, `Cannot ${doing}: the cluster gives ${names.join(", ")}`);
    }
    const declared = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
    const table = this.makeTable(declared.join(", "));
    const insert = this.database.prepare<FactValue[]>(
      `INSERT INTO ${table} VALUES (${names.map(() => "?").join(", ")})`,
    );
    const insertAll = this.database.transaction((batch: readonly ClusterValue[][]) => {
      for (const row of batch) insert.run(...row);
    });
    let batch: ClusterValue[][] = [];
    let count = 0;
    for await (const row of rows) {
      if (++count > MAX_ROWS) {
        throw new CalltallyError(EXIT.usage, `Cannot ${doing}: they are more than ${MAX_ROWS} rows`, {
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

  /** Returns the publications of the accounts that are read, as they are now. */
  async #readPublications(): Promise<ClusterValue[][]> {
    const accounts = this.published.map(({ account }) => literal(account)).join(", ");
    return await this.#cluster.select(
      `SELECT ${PUBLICATION_COLUMNS.join(", ")} FROM ${this.table(PUBLISHED_TABLE)}
WHERE account IN (${accounts}) ORDER BY account, version DESC LIMIT 1 BY account`,
      { doing: "read what is published", signal: this.#signal },
    );
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
