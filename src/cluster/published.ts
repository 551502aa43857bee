import { literal } from "./clickhouse-text.ts";
import type { Cluster } from "./cluster.ts";
import { PUBLISHED_TABLE } from "./cluster-tables.ts";

/** An account's row in the table `published`. */
export interface Published {
  account: string;
  /** The warehouse that the account is published from. */
  warehouse_id: string;
  version: number;
  /** When the cluster last confirmed all of it, ISO 8601 UTC; null for never. */
  published_at: string | null;
  /** Start of a publication that has not finished, so that rows may be of different moments, ISO 8601 UTC; else null. */
  unfinished_since: string | null;
  /** JSON object, an `About`, as of `published_at`. */
  about: string;
  /** JSON object: for each table, the count and the XOR of the hashes of each bucket, as of `published_at`. */
  buckets: string;
}

/** Reads the latest row of one account, or of all in the order of their names. */
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
