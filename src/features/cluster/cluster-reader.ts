import Database from "better-sqlite3";
import pLimit from "p-limit";
import { CalltallyError, EXIT } from "../../base/errors.ts";
import { PUBLISHED_TABLE } from "./account-tables.ts";
import { type ClusterRow, literal } from "./clickhouse-text.ts";
import type { Cluster } from "./cluster.ts";
import type { PublishedRow } from "./published.ts";

/** Thrown if what was read mixes two publications; a second attempt may succeed. */
export class PublicationMovedError extends CalltallyError {
  constructor(message: string, hint: string) {
    super(EXIT.unreachable, message, { hint });
  }
}

/** Asks a cluster one question at a time, and keeps the responses. */
export class ClusterReader implements Disposable {
  readonly cluster: Cluster;
  /** The accounts, as they were when reading began. */
  readonly published: readonly PublishedRow[];
  /** For spend. In memory, and beyond some megabytes in a file that no other process can open. */
  readonly database: Database.Database = new Database("");
  readonly #signal: AbortSignal | undefined;
  readonly #known = new Map<string, Promise<ClusterRow[]>>();
  readonly #oneAtOnce = pLimit(1);
  #tables = 0;

  constructor(cluster: Cluster, published: readonly PublishedRow[], signal: AbortSignal | undefined) {
    this.cluster = cluster;
    this.published = published;
    this.#signal = signal;
  }

  /** @param doing for errors: follows "Cannot" @throws PublicationMovedError if something was published since reading began */
  ask(doing: string, sql: string): Promise<ClusterRow[]> {
    const known = this.#known.get(sql) ?? this.#oneAtOnce(() => this.#ask(doing, sql));
    this.#known.set(sql, known);
    return known;
  }

  async #ask(doing: string, sql: string): Promise<ClusterRow[]> {
    const rows = await this.cluster.select(sql, { doing, signal: this.#signal });
    if (await this.#isStill()) return rows;
    throw new PublicationMovedError(
      "Cannot read the cluster at one moment: something was published meanwhile",
      "Try again later.",
    );
  }

  makeTable(columns: string): string {
    const table = `table_${++this.#tables}`;
    this.database.exec(`CREATE TABLE ${table} (${columns})`);
    return table;
  }

  [Symbol.dispose](): void {
    this.database.close();
  }

  /** Whether the accounts are unchanged since reading began: each publication writes new versions. */
  async #isStill(): Promise<boolean> {
    const accounts = this.published.map(({ account }) => literal(account)).join(", ");
    const rows = await this.cluster.select(
      `SELECT account, max(version) FROM ${this.cluster.all(PUBLISHED_TABLE)} WHERE account IN (${accounts}) GROUP BY account`,
      { doing: "read what is published", signal: this.#signal },
    );
    const newest = new Map(rows.map(([account, version]) => [account, Number(version)]));
    return this.published.every(({ account, version }) => newest.get(account) === version);
  }
}

/** @throws CalltallyError (exit 3) if the cluster has fewer rows of an account than were published */
export function assertAll(
  account: string,
  what: string,
  { count, published }: { count: number; published: number },
): void {
  if (count === published) return;
  throw new CalltallyError(
    EXIT.unverified,
    `Cannot read ${account} in the cluster: it has ${count} ${what} over all shards, and ${published} were published`,
    { hint: "Publish the account again, which sends what the cluster has lost." },
  );
}
