import { type AccountTable, localName } from "./account-tables.ts";
import type { Claim } from "./claim.ts";
import { literal } from "./clickhouse-text.ts";

/** What a server has of a month. */
export interface Month {
  /** The number of rows, and the sums over them in the order of the table's. */
  sums: readonly number[];
  /** How many rows have a version or later ones. */
  newer: number;
  /** Sum of the hashes of its rows. */
  hash: string;
}

/** The UTC month of a row, `YYYY-MM`; empty for a row without one. */
export function monthText({ time }: AccountTable): string {
  return `ifNull(substring(toString(${time}), 1, 7), '')`;
}

/** A hash that only the cluster computes, in a third of the time of one that both sides can. */
function fastHashText({ columns }: AccountTable): string {
  const values = Object.entries(columns).map(([name, type]) =>
    type.includes("Nullable") ? `assumeNotNull(${name}), ${name} IS NULL` : name,
  );
  return `cityHash64(${values.join(", ")})`;
}

/** Reads the months of an account at each server. @param version from which on rows are newer */
export async function readMonths(
  { cluster, account }: Claim,
  table: AccountTable,
  { version, signal }: { version: number; signal?: AbortSignal | undefined },
): Promise<Map<string, Month>[]> {
  const sums = ["count()", ...table.sums.map(([there]) => there)];
  const columns = sums.map((text, index) => `${text} AS sum_${index}`).join(", ");
  const sql = `SELECT ${monthText(table)} AS month, ${columns}, sum(version >= ${version}) AS newer,
  toString(sum(${fastHashText(table)})) AS hash
FROM ${cluster.table(localName(table.name))} FINAL WHERE account = ${literal(account)} AND is_deleted = 0 GROUP BY month`;
  return await cluster.atEach(async (node) => {
    const rows = await node.select(sql, { doing: `read the sums of ${account}`, signal });
    return new Map(
      rows.map((row) => {
        const own = sums.map((_, index) => Number(row[`sum_${index}`]));
        return [String(row.month), { sums: own, newer: Number(row.newer), hash: String(row.hash) }];
      }),
    );
  });
}

/** Lists months with other sums at all servers together than here, or of which a server lacks rows that it was sent. */
export function findDifferentMonths(
  here: ReadonlyMap<string, readonly number[]>,
  there: readonly ReadonlyMap<string, Month>[],
  sent: readonly ReadonlyMap<string, number>[],
): string[] {
  const all = new Set([here, ...there, ...sent].flatMap((months) => [...months.keys()]));
  return [...all].filter((month) => {
    const own = there.map((months) => months.get(month));
    if (own.some((each, shard) => (sent[shard]?.get(month) ?? 0) > (each?.newer ?? 0))) return true;
    const wanted = here.get(month) ?? [0];
    return wanted.some((sum, index) => sum !== own.reduce((all, each) => all + (each?.sums[index] ?? 0), 0));
  });
}
