import { paced } from "../base/paced.ts";
import { openCallerDigests, openCallerHash, openPseudonyms } from "../warehouse/calls/caller-hash.ts";
import { BUCKETS } from "../warehouse/changed-buckets.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import type { ClusterValue } from "./clickhouse-text.ts";
import { type AccountTable, FACTS_TABLE, rowHashExpression, SPEND_TABLE } from "./cluster-tables.ts";
import { BucketTotals, hashRow, shardOf } from "./row-hash.ts";

/** A row as it is to be in the cluster. */
export interface LocalRow {
  id: number;
  /** Index of the shard that it belongs to. */
  shard: number;
  hash: Buffer;
  /** In the order of the table's columns. */
  values: ClusterValue[];
}

/** The rows that an account has to publish, at one moment of its warehouse. */
export interface LocalTable {
  table: AccountTable;
  /** Reads them all, or those of some buckets; more than once, if need be. */
  read: (buckets?: readonly number[]) => Iterable<LocalRow>;
}

/** The facts, and what tells whether what is published of them may have changed where they themselves have not. */
export interface LocalFacts extends LocalTable {
  /** What rows are made by. */
  basis: string;
  /** The calls that are a caller's first where gone ones count as well, and are not without those, or the other way round. */
  otherFirsts: BucketTotals;
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

const GONE_CALLERS = "temp.callers_of_gone_calls";
const FIRST_OF_ALL = "temp.first_calls_of_all";

/**
 * Returns the facts of calls as they are to be published: callers and click ids as keyed digests, unless what is personal
 * goes as well.
 *
 * @param reader a connection that is in a transaction, and stays in it
 */
export function openLocalFacts(reader: Warehouse, options: LocalOptions): LocalFacts {
  const { account, shards, isPersonal } = options;
  // Of a caller without gone calls, the first live call is the first of all.
  reader.sqlite.exec(`CREATE TABLE ${GONE_CALLERS} (caller TEXT PRIMARY KEY) WITHOUT ROWID;
    INSERT INTO ${GONE_CALLERS} SELECT DISTINCT caller FROM call_facts WHERE NOT is_live AND caller IS NOT NULL;
    CREATE TABLE ${FIRST_OF_ALL} (call_id INTEGER PRIMARY KEY);
    INSERT INTO ${FIRST_OF_ALL} SELECT call_id FROM (
      SELECT call_id, row_number() OVER (PARTITION BY caller ORDER BY call_started NULLS LAST, call_id) AS rank
      FROM call_facts WHERE caller IN (SELECT caller FROM ${GONE_CALLERS})
    ) WHERE rank = 1`);
  const columns = Object.keys(FACTS_TABLE.columns).map((name) =>
    name === "is_first_of_all"
      ? `CASE WHEN caller IN (SELECT caller FROM ${GONE_CALLERS})
        THEN call_id IN (SELECT call_id FROM ${FIRST_OF_ALL}) ELSE is_first_call END`
      : name,
  );
  const [caller, gclid] = [columns.indexOf("caller"), columns.indexOf("gclid")];
  const digest = isPersonal ? undefined : openDigests(reader);
  const otherFirsts = new BucketTotals(1);
  const others = reader.sqlite
    .prepare<[], number>(
      `SELECT call_id FROM call_facts WHERE caller IN (SELECT caller FROM ${GONE_CALLERS})
      AND is_first_call <> (call_id IN (SELECT call_id FROM ${FIRST_OF_ALL}))`,
    )
    .pluck();
  for (const id of others.iterate()) otherFirsts.add(0, id, hashRow([id]));
  return {
    table: FACTS_TABLE,
    basis: JSON.stringify({
      ...options,
      digest: digest?.basis,
      rowHash: rowHashExpression(FACTS_TABLE.columns),
    }),
    otherFirsts,
    read: (buckets) =>
      iterate(reader, { table: FACTS_TABLE, columns }, buckets, (values) => {
        if (digest !== undefined) {
          if (typeof values[caller] === "string") values[caller] = digest.caller(values[caller]);
          if (typeof values[gclid] === "string") values[gclid] = digest.gclid(values[gclid]);
        }
        return shardOf(account, values[caller] ?? Number(values[0]), shards);
      }),
  };
}

/** Returns what ads cost, as it is to be published. */
export function openLocalSpend(reader: Warehouse, { account, shards }: LocalOptions): LocalTable {
  const columns = Object.keys(SPEND_TABLE.columns);
  return {
    table: SPEND_TABLE,
    read: (buckets) =>
      iterate(reader, { table: SPEND_TABLE, columns }, buckets, ([id]) =>
        shardOf(account, Number(id), shards),
      ),
  };
}

/** How callers and click ids are told apart without being told. */
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
  { table: { name, key }, columns }: { table: AccountTable; columns: readonly string[] },
  buckets: readonly number[] | undefined,
  toShard: (values: ClusterValue[]) => number,
): Generator<LocalRow> {
  const where =
    buckets === undefined
      ? ""
      : ` WHERE ${key} & ${BUCKETS - 1} IN (SELECT value FROM json_each('${JSON.stringify(buckets)}'))`;
  const rows = sqlite
    .prepare<[], ClusterValue[]>(`SELECT ${columns.join(", ")} FROM ${name}${where}`)
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
