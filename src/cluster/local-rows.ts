import { paced } from "../base/paced.ts";
import { openCallerDigests, openCallerHash, openPseudonyms } from "../warehouse/calls/caller-hash.ts";
import { BUCKETS } from "../warehouse/changed-buckets.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import type { ClusterValue } from "./clickhouse-text.ts";
import { type AccountTable, FACTS_TABLE, rowHashExpression, SPEND_TABLE } from "./cluster-tables.ts";
import { BucketTotals, hashRow, shardOf } from "./row-hash.ts";

export interface LocalRow {
  id: number;
  /** Index of the shard that it belongs to. */
  shard: number;
  hash: bigint;
  /** In the order of the table's columns. */
  values: ClusterValue[];
}

export interface LocalTable {
  table: AccountTable;
  /** Reads them all, or those of some buckets; more than once, if need be. */
  read: (buckets?: readonly number[]) => Iterable<LocalRow>;
}

export interface LocalFacts extends LocalTable {
  basis: string;
}

/** What is known of an account's rows without hashing them all. */
export interface KnownTotals {
  totals: BucketTotals;
  /** Buckets of which it is not known any more. */
  changed: readonly number[];
}

export interface LocalOptions {
  account: string;
  shards: number;
  /** Whether numbers and click ids go as they are. */
  isPersonal: boolean;
}

/** Callers and click ids are keyed digests, unless personal data goes, too. @param reader is in a transaction, and stays in it */
export function openLocalFacts(reader: Warehouse, options: LocalOptions): LocalFacts {
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
    read: (buckets) =>
      iterate(reader, FACTS_TABLE, buckets, (values) => {
        if (digest !== undefined) {
          if (typeof values[caller] === "string") values[caller] = digest.caller(values[caller]);
          if (typeof values[gclid] === "string") values[gclid] = digest.gclid(values[gclid]);
        }
        return shardOf(account, values[caller] ?? Number(values[0]), shards);
      }),
  };
}

export function openLocalSpend(reader: Warehouse, { account, shards }: LocalOptions): LocalTable {
  return {
    table: SPEND_TABLE,
    read: (buckets) => iterate(reader, SPEND_TABLE, buckets, ([id]) => shardOf(account, Number(id), shards)),
  };
}

function openDigests(reader: Warehouse) {
  const { toPseudonym, fingerprint } = openPseudonyms(reader);
  const { hash } = openCallerHash(reader.path);
  const isDigest = openCallerDigests(reader) !== undefined;
  return {
    basis: { fingerprint, isDigest },
    caller: toPseudonym,
    gclid: (gclid: string) => hash(`gclid ${gclid}`),
  };
}

/** @param toShard may change the values to what is published of them */
function* iterate(
  { sqlite }: Warehouse,
  { name, key, columns }: AccountTable,
  buckets: readonly number[] | undefined,
  toShard: (values: ClusterValue[]) => number,
): Generator<LocalRow> {
  const where =
    buckets === undefined
      ? ""
      : ` WHERE ${key} & ${BUCKETS - 1} IN (SELECT value FROM json_each('${JSON.stringify(buckets)}'))`;
  const rows = sqlite
    .prepare<[], ClusterValue[]>(`SELECT ${Object.keys(columns).join(", ")} FROM ${name}${where}`)
    .raw()
    .iterate();
  for (const values of rows) {
    const shard = toShard(values);
    yield { id: Number(values[0]), shard, hash: hashRow(values), values };
  }
}

/** Adds up what is in each bucket: in those of which it is not known. */
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
