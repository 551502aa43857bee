import { setTimeout } from "node:timers/promises";
import { CalltallyError, EXIT } from "../base/errors.ts";
import type { ClickhouseNode } from "./clickhouse-node.ts";
import { literal } from "./clickhouse-text.ts";
import type { Cluster } from "./cluster.ts";
import { FACTS_TABLE, localName } from "./cluster-tables.ts";
import type { About } from "./published.ts";

interface AccountOptions {
  account: string;
  signal?: AbortSignal | undefined;
}

/** A server silently skips parts that it is already merging. */
const ATTEMPTS = 20;
const PAUSE_MS = 500;

/**
 * Makes each server merge its parts until no replaced row of an account is left, if some hold personal data that is
 * no longer published; returns whether they did. The server deletes the old files later, after `old_parts_lifetime`.
 * @throws CalltallyError (exit 5) if a server does not merge them
 */
export async function eraseReplaced(
  cluster: Cluster,
  { is_personal, caller_digests }: About,
  { isForgotten, ...options }: AccountOptions & { isForgotten: boolean },
): Promise<boolean> {
  const digested = is_personal ? (caller_digests ? ["caller"] : []) : ["caller", "gclid"];
  if (!isForgotten && !(await hasPlainTexts(cluster, digested, options))) return false;
  const table = cluster.table(localName(FACTS_TABLE.name));
  await cluster.atEach((node) => mergeParts(node, table, options));
  return true;
}

/** @param columns may hold keyed digests only */
async function hasPlainTexts(
  cluster: Cluster,
  columns: readonly string[],
  { account, signal }: AccountOptions,
): Promise<boolean> {
  if (columns.length === 0) return false;
  const isPlain = columns.map(
    (column) => `NOT match(ifNull(${column}, ''), '^(forgotten[0-9a-f]{16}|[0-9a-f]{64})?$')`,
  );
  const rows = await cluster.select(
    `SELECT count() AS count FROM ${cluster.table(FACTS_TABLE.name)} WHERE account = ${literal(account)} AND (${isPlain.join(" OR ")})`,
    { doing: `look for personal data of ${account}`, signal },
  );
  return Number(rows[0]?.count) > 0;
}

async function mergeParts(node: ClickhouseNode, table: string, { account, signal }: AccountOptions) {
  const options = { doing: `erase replaced rows of ${account}`, signal };
  const count = async (final: string) => {
    const sql = `SELECT count() AS count FROM ${table}${final} WHERE account = ${literal(account)}`;
    const [row] = await node.select(sql, options);
    return row?.count;
  };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if ((await count("")) === (await count(" FINAL"))) return;
    if (attempt > 0) await setTimeout(PAUSE_MS, undefined, { signal });
    await node.run(`OPTIMIZE TABLE ${table} FINAL`, options);
  }
  throw new CalltallyError(
    EXIT.unreachable,
    `Cannot ${options.doing} at ${node.name}: it has not merged its parts`,
    { hint: "It may be busy: publish again later." },
  );
}
