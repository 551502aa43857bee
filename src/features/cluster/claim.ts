import { randomInt } from "node:crypto";
import { CalltallyError, EXIT, UsageError } from "../../base/errors.ts";
import { CALLS_TABLE, localName, PUBLISHED_TABLE, SPEND_TABLE } from "./account-tables.ts";
import { literal, quoted } from "./clickhouse-text.ts";
import type { Cluster } from "./cluster.ts";
import { shardOf } from "./local-rows.ts";
import { type About, type PublishedRow, readPublished } from "./published.ts";

/** Rows have the version from {@link Claim.hold}, or the next; the one above confirms them. */
export const ROW_VERSIONS = 2;

/** Versions are random, so that two publications that start at once have different ones. */
const DRAWN_VERSIONS = 2 ** 20;

const TABLES = [CALLS_TABLE.name, SPEND_TABLE.name, PUBLISHED_TABLE];

/**
 * A running publication of an account. Only {@link hold} returns the version for rows, so none are written before the
 * cluster shows that the account is unfinished.
 */
export class Claim {
  readonly cluster: Cluster;
  readonly account: string;
  /** What was published before; undefined for nothing. */
  readonly before: PublishedRow | undefined;
  readonly #unfinished: PublishedRow;
  readonly #signal: AbortSignal | undefined;
  /** The last one that this publication has written; 0 before. */
  #version = 0;
  #isConfirmed = false;

  private constructor(
    cluster: Cluster,
    before: PublishedRow | undefined,
    row: PublishedRow,
    signal?: AbortSignal,
  ) {
    this.cluster = cluster;
    this.account = row.account;
    this.before = before;
    this.#unfinished = row;
    this.#signal = signal;
  }

  /** @throws UsageError if the account belongs to another warehouse, or the warehouse is published under another name */
  static async take(
    cluster: Cluster,
    { account, warehouse_id, startedMs }: { account: string; warehouse_id: string; startedMs: number },
    signal?: AbortSignal,
  ): Promise<Claim> {
    const all = await readPublished(cluster, signal);
    const before = all.find((published) => published.account === account);
    assertSameWarehouse(cluster, { account, warehouse_id }, all);
    const newest = TABLES.map(
      (name) =>
        `SELECT max(version) AS version FROM ${cluster.table(localName(name))} WHERE account = ${literal(account)}`,
    );
    const sql = `SELECT max(version) FROM (${newest.join(" UNION ALL ")})`;
    const options = { doing: `read the version of ${account}`, signal };
    const versions = (await cluster.atEach((node) => node.select(sql, options))).flat(2);
    const version = Math.max(...versions.map(Number)) + 1 + randomInt(DRAWN_VERSIONS);
    const unfinished_since = new Date(startedMs).toISOString();
    const row = {
      published_at: null,
      about: "{}",
      ...before,
      account,
      warehouse_id,
      version,
      unfinished_since,
    };
    return new Claim(cluster, before, row, signal);
  }

  /**
   * Records, the first time, that a publication is unfinished; asserts that no other one has begun.
   * @returns the version for rows, greater than all in the cluster
   * @throws CalltallyError (exit 6) if another publication has begun
   */
  async hold(): Promise<number> {
    if (this.#version === 0) await this.#write(this.#unfinished);
    await this.#assertAlone();
    return this.#unfinished.version;
  }

  /**
   * Records that the cluster has the whole account; ends the claim.
   * @throws CalltallyError (exit 6) if another publication has begun; (exit 3) if the cluster has not recorded this
   * one
   */
  async confirm(published_at: string, about: About): Promise<void> {
    await this.#assertAlone();
    const version = this.#unfinished.version + ROW_VERSIONS;
    const confirmed = { version, published_at, unfinished_since: null, about: JSON.stringify(about) };
    await this.#write({ ...this.#unfinished, ...confirmed });
    await this.#assertAlone();
    this.#isConfirmed = true;
  }

  /** Before it throws exit 6, records that rows may be from both publications. */
  async #assertAlone(): Promise<void> {
    const { account, cluster } = this;
    if (this.#isConfirmed) throw new Error(`The publication of ${account} is confirmed`);
    const sql = `SELECT version FROM ${cluster.table(localName(PUBLISHED_TABLE))} WHERE account = ${literal(account)} AND version > ${this.before?.version ?? 0}`;
    const options = { doing: `read the version of ${account}`, signal: this.#signal };
    const rows = await cluster.atEach((node) => node.select(sql, options));
    const versions = rows.map((ofServer) => ofServer.map(([version]) => Number(version)));
    const isOwn = (version: number) => version === this.#version || version === this.#unfinished.version;
    if (!versions.flat().every(isOwn)) {
      const last = (await readPublished(cluster, this.#signal)).find((other) => other.account === account);
      if (last !== undefined && this.#version > 0) {
        const unfinished_since = new Date().toISOString();
        await this.#write({ ...last, version: Math.max(...versions.flat()) + 1, unfinished_since });
      }
      throw new CalltallyError(
        EXIT.locked,
        `Cannot publish ${account} to ${cluster.address.name}: another publication of it has started meanwhile`,
        {
          hint: "Perhaps a copy of its warehouse is published, too. Publish only one of them, and then run this again.",
        },
      );
    }
    const isRecorded = this.#servers().every(({ index }) => versions[index]?.includes(this.#version));
    if (this.#version === 0 || isRecorded) return;
    throw new CalltallyError(
      EXIT.unverified,
      `Cannot confirm that ${account} is published to ${cluster.address.name}: the cluster has not recorded it`,
      { hint: "Another program may write to these tables. Publish again." },
    );
  }

  async #write(published: PublishedRow): Promise<void> {
    const { account, cluster } = this;
    const statement = `INSERT INTO ${cluster.table(localName(PUBLISHED_TABLE))} (${Object.keys(published).map(quoted).join(", ")})`;
    const options = { doing: `record that ${account} is published`, signal: this.#signal };
    const row = JSON.stringify(published);
    await Promise.all(this.#servers().map(({ node }) => node.insert(statement, row, options)));
    this.#version = published.version;
  }

  /** Lists the servers that record it. */
  #servers() {
    const { account, cluster } = this;
    const ownShard = shardOf(account, "", cluster.shards);
    return cluster.servers.flatMap(({ node, shard }, index) => (shard === ownShard ? [{ node, index }] : []));
  }
}

/** Rows of two warehouses would replace each other; a warehouse under two names would count twice. */
function assertSameWarehouse(
  { address: { name } }: Cluster,
  { account, warehouse_id }: Pick<PublishedRow, "account" | "warehouse_id">,
  all: readonly PublishedRow[],
): void {
  const other = all.find((row) => row.warehouse_id === warehouse_id && row.account !== account);
  if (other !== undefined) {
    const removal = TABLES.map(
      (table) => `ALTER TABLE ${localName(table)} DELETE WHERE account = ${literal(other.account)}`,
    );
    throw new UsageError(
      `Cannot publish ${account} to ${name}: its warehouse is already published there as ${other.account}, and would count twice`,
      { hint: `Use that name again, or remove it from all servers: ${removal.join("; ")}` },
    );
  }
  const namesake = all.find((row) => row.account === account);
  if (namesake === undefined || namesake.warehouse_id === warehouse_id) return;
  const tables = TABLES.map(localName).join(", ");
  throw new UsageError(
    `Cannot publish ${account} to ${name}: an account of that name is published from another warehouse, ${namesake.warehouse_id}, and this one is ${warehouse_id}`,
    {
      hint: `Two accounts with one name would replace each other: rename one of them in calltally.yaml, or use another database. If the other warehouse is lost, drop the account's rows from ${tables} at all servers.`,
    },
  );
}
