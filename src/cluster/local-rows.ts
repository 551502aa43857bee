import { paced } from "../base/paced.ts";
import { openCallerDigests, openCallerHash, openPseudonyms } from "../warehouse/calls/caller-hash.ts";
import { BUCKETS } from "../warehouse/changed-buckets.ts";
import type { Reader } from "../warehouse/warehouse.ts";
import type { ClusterValue } from "./clickhouse-text.ts";
import { type AccountTable, FACTS_TABLE, rowHashExpression, SPEND_TABLE } from "./cluster-tables.ts";
import { BucketTotals, hashRow, shardOf } from "./row-hash.ts";

export interface LocalRow {
  id: number;
  /** Index of its shard. */
  shard: number;
  hash: bigint;
  /** In the order of the table's columns. */
  values: ClusterValue[];
}

export interface LocalTable {
  table: AccountTable;
  /** Reads all rows, or those of some buckets; may be called more than once. */
  read: (buckets?: readonly number[]) => Iterable<LocalRow>;
}

export type LocalFacts = ReturnType<typeof openLocalFacts>;

/** Totals known without hashing all rows of an account. */
export interface KnownTotals {
  totals: BucketTotals;
  /** Buckets whose totals are no longer known. */
  changed: readonly number[];
}

export interface LocalOptions {
  account: string;
  shards: number;
  /** Whether numbers and click ids are published unchanged. */
  isPersonal: boolean;
}

/** Callers and click ids are keyed digests, unless personal data is published. @param reader is and stays in a transaction */
export function openLocalFacts(reader: Reader, options: LocalOptions) {
  const { account, shards, isPersonal } = options;
  const columns = Object.keys(FACTS_TABLE.columns);
  const [caller, gclid] = [columns.indexOf("caller"), columns.indexOf("gclid")];
  const digest = isPersonal ? undefined : openDigests(reader);
  return {
    table: FACTS_TABLE,
    basis: JSON.stringify({
      ...options,
      digest: digest?.basis,
      rowHash: rowHashExpression(FACTS_TABLE.columns),
    }),
    read: (buckets?: readonly number[]) =>
      iterate(reader, FACTS_TABLE, buckets, (values) => {
        if (digest !== undefined) {
          if (typeof values[caller] === "string") values[caller] = digest.caller(values[caller]);
          if (typeof values[gclid] === "string") values[gclid] = digest.gclid(values[gclid]);
        }
        return shardOf(account, values[caller] ?? Number(values[0]), shards);
      }),
  };
}

export function openLocalSpend(reader: Reader, { account, shards }: LocalOptions): LocalTable {
  return {
    table: SPEND_TABLE,
    read: (buckets) => iterate(reader, SPEND_TABLE, buckets, ([id]) => shardOf(account, Number(id), shards)),
  };
}

function openDigests(reader: Reader) {
  const { toPseudonym, fingerprint } = openPseudonyms(reader);
  const { hash } = openCallerHash(reader.path);
  const isDigest = openCallerDigests(reader) !== undefined;
  return {
    basis: { fingerprint, isDigest },
    caller: toPseudonym,
    gclid: (gclid: string) => hash(`gclid ${gclid}`),
  };
}

/** @param toShard may change the values to their published form */
function* iterate(
  { sqlite }: Reader,
  { name, key, columns }: AccountTable,
  buckets: readonly number[] | undefined,
  toShard: (values: ClusterValue[]) => number,
): Generator<LocalRow> {
  const where =
    buckets === undefined
      ? ""
      : ` WHERE ${key} & ${BUCKETS - 1} IN (SELECT value FROM json_each('${JSON.stringify(buckets)}'))`;
  const join = "caller" in columns ? " LEFT JOIN callers USING (caller_id)" : "";
  const rows = sqlite
    .prepare<[], ClusterValue[]>(`SELECT ${Object.keys(columns).join(", ")} FROM ${name}${join}${where}`)
    .raw()
    .iterate();
  for (const values of rows) {
    const shard = toShard(values);
    yield { id: Number(values[0]), shard, hash: hashRow(values), values };
  }
}

/** Totals the buckets whose totals are not known. */
export async function totalsOf(
  { read }: LocalTable,
  shards: number,
  { known, signal }: { known?: KnownTotals | undefined; signal: AbortSignal | undefined },
): Promise<BucketTotals> {
  const totals = known?.totals ?? new BucketTotals(shards);
  totals.clear(known?.changed ?? []);
  if (known?.changed.length === 0) return totals;
  for await (const { id, shard, hash } of paced(read(known?.changed), signal)) totals.add(shard, id, hash);
  return totals;
}
