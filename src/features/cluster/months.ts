import { hash } from "node:crypto";
import { type AccountTable, localName } from "./account-tables.ts";
import type { Claim } from "./claim.ts";
import { type ClusterValue, literal, quoted } from "./clickhouse-text.ts";

/** The rows of a month at a server. */
export interface Month {
  rows: number;
  /** Sum of their hashes, modulo 2^64. */
  hash: bigint;
}

/** What separates values in the text that is hashed, and what stands for null there. */
const [SEPARATOR, NOTHING] = ["\u001f", "\u001a"];

/** The UTC month of a row, `YYYY-MM`; empty for a row without one. */
export function monthText({ time }: AccountTable): string {
  return `ifNull(substring(toString(${time}), 1, 7), '')`;
}

/** A number with a fraction, which 18.16 does not always read exactly. */
const isFraction = (type: string | undefined) => type?.includes("Float64");

/** The first half of the MD5 of a row's values. */
export function rowHashText({ columns }: AccountTable): string {
  const texts = Object.entries(columns).map(([name, type]) => {
    const value = isFraction(type) ? `toInt64(round(${name} * 1000))` : quoted(name);
    const text = type.includes("String") ? value : `toString(${value})`;
    return type.includes("Nullable") ? `ifNull(${text}, ${literal(NOTHING)})` : text;
  });
  return `halfMD5(concat(${texts.join(`, ${literal(SEPARATOR)}, `)}))`;
}

/** Returns a function to what {@link rowHashText} computes in the cluster. */
export function rowHash({ columns }: AccountTable): (values: readonly ClusterValue[]) => bigint {
  const fraction = Object.values(columns).findIndex(isFraction);
  return (values) => {
    const texts = values.map((value, at) =>
      value === null ? NOTHING : at === fraction ? Math.round(Number(value) * 1000) : value,
    );
    return hash("md5", texts.join(SEPARATOR), "buffer").readBigUInt64BE(0);
  };
}

/** A hash that only the cluster computes, in a fraction of the time. */
function fastHashText({ columns }: AccountTable): string {
  const values = Object.entries(columns).map(([name, type]) =>
    type.includes("Nullable") ? `assumeNotNull(${quoted(name)}), ${quoted(name)} IS NULL` : quoted(name),
  );
  return `cityHash64(${values.join(", ")})`;
}

export function countRow(months: Map<string, Month>, month: string, hash: bigint): void {
  const counted = months.get(month) ?? { rows: 0, hash: 0n };
  months.set(month, { rows: counted.rows + 1, hash: BigInt.asUintN(64, counted.hash + hash) });
}

/**
 * Reads the months of an account at each server.
 * @param version only rows of this version, with their {@link rowHash}. @default the rows in force, with a hash that only
 * the cluster computes
 */
export async function readMonths(
  { cluster, account }: Claim,
  table: AccountTable,
  { version, signal }: { version?: number; signal: AbortSignal | undefined },
): Promise<Map<string, Month>[]> {
  const name = cluster.table(localName(table.name));
  const [hash, from] =
    version === undefined
      ? [fastHashText(table), `${name} FINAL WHERE`]
      : [rowHashText(table), `${name} WHERE version = ${version} AND`];
  const sql = `SELECT ${monthText(table)} AS month, count(), toString(sum(${hash}))
FROM ${from} account = ${literal(account)} AND is_deleted = 0 GROUP BY month`;
  return await cluster.atEach(async (node) => {
    const rows = await node.select(sql, { doing: `read the months of ${account}`, signal });
    return new Map(
      rows.map(([month, count, sum]) => [String(month), { rows: Number(count), hash: BigInt(sum ?? 0) }]),
    );
  });
}
