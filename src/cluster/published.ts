import { z } from "zod";
import { literal } from "./clickhouse-text.ts";
import type { Cluster } from "./cluster.ts";
import { PUBLISHED_TABLE } from "./cluster-tables.ts";

/** An account's row in the table `published`. */
const publishedSchema = z.object({
  account: z.string(),
  /** The warehouse that the account is published from. */
  warehouse_id: z.string(),
  version: z.coerce.number(),
  /** When the cluster last confirmed all of it, ISO 8601 UTC; null for never. */
  published_at: z.string().nullable(),
  /** Start of a publication that has not finished, so that rows may be of different moments, ISO 8601 UTC; else null. */
  unfinished_since: z.string().nullable(),
  /** JSON object, an `About`, as of `published_at`. */
  about: z.string(),
});

export type Published = z.infer<typeof publishedSchema>;

/** Reads the latest row of one account, or of all in the order of their names. */
export async function readPublished(
  cluster: Cluster,
  { account, signal }: { account?: string | undefined; signal?: AbortSignal | undefined } = {},
): Promise<Published[]> {
  const rows = await cluster.select(
    `SELECT ${Object.keys(publishedSchema.shape).join(", ")}
FROM ${cluster.table(PUBLISHED_TABLE)}${account === undefined ? "" : `\nWHERE account = ${literal(account)}`}
ORDER BY account, version DESC LIMIT 1 BY account`,
    { doing: "read what is published", signal },
  );
  return z.array(publishedSchema).parse(rows);
}
