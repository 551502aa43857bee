import { setTimeout } from "node:timers/promises";
import { CalltallyError, EXIT } from "../errors.ts";
import type { ClickhouseNode } from "./clickhouse-node.ts";
import { literal } from "./clickhouse-text.ts";
import type { Cluster } from "./cluster.ts";
import { FACTS_TABLE, localName, PUBLISHED_TABLE } from "./cluster-tables.ts";

interface EraseOptions {
  account: string;
  signal?: AbortSignal | undefined;
}

/** A server does not merge parts that it is merging already, and says nothing of it. */
const ATTEMPTS = 20;
const PAUSE_MS = 500;

/** Whether rows of an account have texts as they are, of columns that are to have keyed digests alone. */
export async function hasPlainTexts(
  cluster: Cluster,
  columns: readonly string[],
  { account, signal }: EraseOptions,
): Promise<boolean> {
  if (columns.length === 0) return false;
  const isPlain = columns.map(
    (column) => `NOT match(ifNull(${column}, ''), '^(forgotten[0-9a-f]{16}|[0-9a-f]{64})?$')`,
  );
  const rows = await cluster.select(
    `SELECT count() FROM ${cluster.table(FACTS_TABLE.name)} WHERE account = ${literal(account)} AND (${isPlain.join(" OR ")})`,
    { doing: `look for what is personal of ${account}`, signal },
  );
  return Number(rows[0]?.[0]) > 0;
}

/**
 * Lets each server merge the parts of its tables, until no row of an account is there any more that was replaced. The files
 * of the parts before it removes by itself, after `old_parts_lifetime`.
 *
 * @throws CalltallyError (exit 5) where one does not
 */
export async function eraseReplaced(cluster: Cluster, options: EraseOptions): Promise<void> {
  // Hashes of rows tell what was in them, to whoever tries all numbers.
  for (const name of [FACTS_TABLE.name, PUBLISHED_TABLE]) {
    const table = cluster.table(localName(name));
    await cluster.atEach((node) => mergeParts(node, table, options));
  }
}

async function mergeParts(
  node: ClickhouseNode,
  table: string,
  { account, signal }: EraseOptions,
): Promise<void> {
  const options = { doing: `erase what was replaced of ${account}`, signal };
  const count = async (final: string) => {
    const sql = `SELECT count() FROM ${table}${final} WHERE account = ${literal(account)}`;
    const [row] = await node.select(sql, options);
    return row?.[0];
  };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if ((await count("")) === (await count(" FINAL"))) return;
    if (attempt > 0) await setTimeout(PAUSE_MS, undefined, { signal });
    await node.run(`OPTIMIZE TABLE ${table} FINAL`, options);
  }
  throw new CalltallyError(
    EXIT.unreachable,
    `Cannot ${options.doing} at ${node.name}: it has not merged its parts`,
    { hint: "It may be busy with them: publish again, until it has." },
  );
}
