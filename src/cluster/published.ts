import { randomInt } from "node:crypto";
import { CalltallyError, EXIT, UsageError } from "../errors.ts";
import type { StatementOptions } from "./clickhouse-node.ts";
import { literal, quoted } from "./clickhouse-text.ts";
import type { Cluster } from "./cluster.ts";
import { FACTS_TABLE, localName, PUBLISHED_TABLE, SPEND_TABLE } from "./cluster-tables.ts";
import { shardOf } from "./row-hash.ts";

/** What the cluster has of an account. */
export interface Published {
  account: string;
  /** The warehouse that the account is published from. */
  warehouse_id: string;
  version: number;
  /** When the cluster last had confirmed all of it, ISO 8601 UTC; null for never. */
  published_at: string | null;
  /** Since when a publication is under way, or was cut short, so that rows may be of different moments; else null. */
  unfinished_since: string | null;
  /** JSON object: what the figures stand on, as of `published_at`. */
  about: string;
  /** JSON object: by table, the count and the XOR of the hashes of each bucket, as of `published_at`. */
  buckets: string;
}

/** Reads what the cluster has of one account, or of all, by their names. */
export async function readPublished(
  cluster: Cluster,
  { account, signal }: { account?: string | undefined; signal?: AbortSignal | undefined } = {},
): Promise<Published[]> {
  const rows = await cluster.select(
    `SELECT account, warehouse_id, version, published_at, unfinished_since, about, buckets
FROM ${cluster.table(PUBLISHED_TABLE)}${account === undefined ? "" : `\nWHERE account = ${literal(account)}`}
ORDER BY account, version DESC LIMIT 1 BY account`,
    { doing: "read what is published", signal },
  );
  const textOrNull = (value: unknown) => (value === null ? null : String(value));
  return rows.map(
    ([name, warehouse_id, version, published_at, unfinished_since, about, buckets]): Published => ({
      account: String(name),
      warehouse_id: String(warehouse_id),
      version: Number(version),
      published_at: textOrNull(published_at),
      unfinished_since: textOrNull(unfinished_since),
      about: String(about),
      buckets: String(buckets),
    }),
  );
}

/** Writes what the cluster has of an account, and resolves when the cluster has it. */
export async function writePublished(
  cluster: Cluster,
  published: Published,
  signal?: AbortSignal,
): Promise<void> {
  const { account } = published;
  const node = cluster.shards[shardOf(account, "", cluster.shards.length)];
  if (node === undefined) throw new Error("A cluster has a server");
  await node.insert(
    `INSERT INTO ${cluster.table(localName(PUBLISHED_TABLE))} (${Object.keys(published).map(quoted).join(", ")})`,
    JSON.stringify(published),
    { doing: `record that ${account} is published`, signal },
  );
}

/** Versions are drawn, so that of two publications that begin at once each is known by its own. */
const VERSIONS = 2 ** 20;

/** Returns a version above all that the cluster has of an account. */
export async function readNextVersion(
  cluster: Cluster,
  account: string,
  signal?: AbortSignal,
): Promise<number> {
  const options: StatementOptions = { doing: `read the version of ${account}`, signal };
  const greatest = [FACTS_TABLE.name, SPEND_TABLE.name, PUBLISHED_TABLE].map((name) => {
    const table = cluster.table(localName(name));
    return `SELECT max(version) AS version FROM ${table} WHERE account = ${literal(account)}`;
  });
  const versions = await cluster.atEach((node) =>
    node.select(`SELECT max(version) FROM (${greatest.join(" UNION ALL ")})`, options),
  );
  return 1 + randomInt(VERSIONS) + Math.max(...versions.flat(2).map(Number));
}

/** A publication of an account that is under way. */
export interface Claim {
  account: string;
  /** What was published before; undefined for nothing. */
  before: Published | undefined;
  /** Versions that it has recorded, the last one last. */
  recorded: readonly number[];
}

/**
 * Asserts that what was last recorded of an account is this publication, and that no other one has begun since it looked.
 *
 * @throws CalltallyError (exit 6) where one has, after it is recorded that rows of both may be there
 */
export async function assertAlone(
  cluster: Cluster,
  { account, before, recorded }: Claim,
  signal?: AbortSignal,
): Promise<void> {
  const rows = await cluster.select(
    `SELECT version FROM ${cluster.table(PUBLISHED_TABLE)} WHERE account = ${literal(account)} AND version > ${before?.version ?? 0}`,
    { doing: `read the version of ${account}`, signal },
  );
  const versions = rows.flat().map(Number);
  const { name } = cluster.address;
  if (versions.some((version) => !recorded.includes(version))) {
    const [last] = await readPublished(cluster, { account, signal });
    if (last !== undefined && recorded.length > 0) {
      const unfinished_since = new Date().toISOString();
      await writePublished(
        cluster,
        { ...last, version: Math.max(...versions) + 1, unfinished_since },
        signal,
      );
    }
    throw new CalltallyError(
      EXIT.locked,
      `Cannot publish ${account} to ${name}: another publication of it has begun there meanwhile`,
      { hint: "Is a copy of its warehouse published as well? Publish one of them alone, and once more." },
    );
  }
  if (recorded.length === 0 || versions.includes(Math.max(...recorded))) return;
  throw new CalltallyError(
    EXIT.unverified,
    `Cannot confirm that ${account} is published to ${name}: the cluster has not recorded it`,
    { hint: "Does something else write to these tables? Publish again." },
  );
}

/**
 * Asserts that an account in the cluster is published from the same warehouse, and that under no other name.
 *
 * @throws UsageError where it is another one: the rows of both would replace each other, or count twice
 */
export async function assertSameWarehouse(
  cluster: Cluster,
  { account, found, warehouseId }: { account: string; found: Published | undefined; warehouseId: string },
  signal?: AbortSignal,
): Promise<void> {
  const { name } = cluster.address;
  const [other] = await cluster.select(
    `SELECT account FROM ${cluster.table(PUBLISHED_TABLE)} WHERE warehouse_id = ${literal(warehouseId)} AND account <> ${literal(account)} LIMIT 1`,
    { doing: "read what is published", signal },
  );
  if (other !== undefined) {
    const removal = [FACTS_TABLE.name, SPEND_TABLE.name, PUBLISHED_TABLE].map(
      (table) => `ALTER TABLE ${localName(table)} DELETE WHERE account = ${literal(String(other[0]))}`,
    );
    throw new UsageError(
      `Cannot publish ${account} to ${name}: its warehouse is published there as ${other[0]}, and would count twice`,
      { hint: `Name it so again, or remove that from all servers: ${removal.join("; ")}` },
    );
  }
  if (found === undefined || found.warehouse_id === warehouseId) return;
  throw new UsageError(
    `Cannot publish ${found.account} to ${name}: the account of that name there is of another warehouse, ${found.warehouse_id}, and this one is ${warehouseId}`,
    {
      hint: "Two accounts of one name would replace each other: rename one of them in calltally.yaml, or name another database. Where the other warehouse is lost, drop the account's rows from call_facts_local, spend_local and published_local at all servers.",
    },
  );
}
