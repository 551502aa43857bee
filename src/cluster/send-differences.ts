import { CalltallyError, EXIT } from "../errors.ts";
import { BUCKETS } from "../warehouse/changed-buckets.ts";
import type { ClickhouseNode, StatementOptions } from "./clickhouse-node.ts";
import { type ClusterValue, literal, quoted } from "./clickhouse-text.ts";
import type { Cluster } from "./cluster.ts";
import { type AccountTable, localName } from "./cluster-tables.ts";
import { type KnownTotals, type LocalTable, paced, totalsOf } from "./local-rows.ts";
import { BucketTotals, bucketOf } from "./row-hash.ts";

/** What was done to make the rows of an account the same on both sides. */
export interface Sent {
  /** Rows that were written. */
  rows: number;
  /** Rows that were marked as deleted: of calls that are not here, and on shards that they do not belong to any more. */
  removed: number;
}

interface SendOptions {
  account: string;
  /** What need not be hashed again. */
  known?: KnownTotals | undefined;
  signal?: AbortSignal | undefined;
  /** Is called before rows are written, again and again. */
  onSending: () => Promise<void>;
  /** Receives how many rows were sent so far. */
  onSent?: ((rows: number) => void) | undefined;
}

/** Rows that the cluster has of the buckets which are looked at together, by their numbers and hashes. */
const GROUP_ROWS = 200_000;
/** An INSERT has as many rows and bytes at most: the server puts it into one part. */
const BATCH_ROWS = 20_000;
const BATCH_BYTES = 16_000_000;
/** The rows of a bucket that differs are sent where they differ; all of them, where it differs still. */
const ROUNDS = 2;
const BUCKETS_SHOWN = 5;

/**
 * Makes the rows of an account in the cluster those that are here, whatever it holds: compares the buckets, sends those that
 * differ, and compares again.
 *
 * @param version rows of this version take precedence over those that the cluster has; the next one may be used as well
 * @returns what was sent, the totals that are now on both sides, and whether all rows were hashed
 * @throws CalltallyError (exit 3) that names the buckets which differ all the same
 */
export async function sendDifferences(
  cluster: Cluster,
  local: LocalTable,
  version: number,
  options: SendOptions,
): Promise<{ sent: Sent; totals: BucketTotals; isHashed: boolean }> {
  const { table } = local;
  const { signal } = options;
  const sent = { rows: 0, removed: 0 };
  let { known } = options;
  let here = await totalsOf(local, cluster.shards.length, { known, signal });
  for (let round = 0; ; round++) {
    const there = await readTotals(cluster, table, options);
    let different = here.differences(there);
    // It is not for the side that is known to be right to say so.
    if (different.some((index) => known?.changed.includes(index % BUCKETS) === false)) {
      known = undefined;
      here = await totalsOf(local, cluster.shards.length, { signal });
      different = here.differences(there);
    }
    if (different.length === 0) return { sent, totals: here, isHashed: known === undefined };
    if (round === ROUNDS) throw differentError(cluster, table, different, options.account);
    for (const group of groupsOf(different, there)) {
      await options.onSending();
      const sender = new Sender(cluster, table, { ...options, version: version + round, sent });
      await sendGroup(cluster, local, group, sender, { ...options, isWhole: round > 0 });
    }
  }
}

async function readTotals(
  cluster: Cluster,
  { name, key }: AccountTable,
  { account, signal }: Pick<SendOptions, "account" | "signal">,
): Promise<BucketTotals> {
  const totals = new BucketTotals(cluster.shards.length);
  const found = await cluster.atEach((node) =>
    node.select(
      `SELECT bitAnd(${quoted(key)}, ${BUCKETS - 1}) AS bucket, count() AS rows, toString(groupBitXor(row_hash)) AS hash
FROM ${cluster.table(localName(name))} FINAL
WHERE account = ${literal(account)} AND is_deleted = 0 GROUP BY bucket`,
      { doing: `read the totals of ${account}`, signal },
    ),
  );
  for (const [shard, rows] of found.entries()) {
    for (const [bucket, count, hash] of rows) {
      totals.set(shard, Number(bucket), Number(count), BigInt(String(hash)));
    }
  }
  return totals;
}

/** Puts buckets that differ together, so that what the cluster has of few of them is held in memory at once. */
function* groupsOf(different: readonly number[], there: BucketTotals): Generator<Set<number>> {
  const byBucket = different.toSorted((a, b) => (a % BUCKETS) - (b % BUCKETS));
  let group = new Set<number>();
  let rows = 0;
  for (const index of byBucket) {
    const own = there.count(index);
    if (group.size > 0 && rows + own > GROUP_ROWS) {
      yield group;
      group = new Set();
      rows = 0;
    }
    group.add(index);
    rows += own;
  }
  yield group;
}

async function sendGroup(
  cluster: Cluster,
  { table, read }: LocalTable,
  group: ReadonlySet<number>,
  sender: Sender,
  { account, isWhole, signal }: SendOptions & { isWhole: boolean },
): Promise<void> {
  const stored = await cluster.atEach((node, shard) => {
    const buckets = [...group].flatMap((index) =>
      Math.floor(index / BUCKETS) === shard ? [index % BUCKETS] : [],
    );
    return readStored(node, { cluster, table, account, buckets, signal });
  });
  const buckets = [...new Set([...group].map((index) => index % BUCKETS))];
  for await (const { id, shard, hash, values } of paced(read(buckets), signal)) {
    if (!group.has(shard * BUCKETS + bucketOf(id))) continue;
    const known = stored[shard]?.get(id);
    stored[shard]?.delete(id);
    if (!isWhole && known !== undefined && known === hash.readBigUInt64BE(0)) continue;
    await sender.add(shard, values);
  }
  for (const [shard, left] of stored.entries()) {
    for (const id of left.keys()) await sender.remove(shard, id);
  }
  await sender.flush();
}

/** Returns the rows that a server has of some buckets, by their numbers: the hash of each. */
async function readStored(
  node: ClickhouseNode,
  {
    cluster,
    table: { name, key },
    account,
    buckets,
    signal,
  }: { cluster: Cluster; table: AccountTable; account: string; buckets: readonly number[] } & Pick<
    StatementOptions,
    "signal"
  >,
): Promise<Map<number, bigint>> {
  const stored = new Map<number, bigint>();
  if (buckets.length === 0) return stored;
  const { rows } = await node.iterate(
    `SELECT ${quoted(key)}, toString(row_hash) FROM ${cluster.table(localName(name))} FINAL
WHERE account = ${literal(account)} AND is_deleted = 0 AND bitAnd(${quoted(key)}, ${BUCKETS - 1}) IN (${buckets.join(", ")})`,
    { doing: `read the rows of ${account}`, signal },
  );
  for await (const [id, hash] of rows) stored.set(Number(id), BigInt(String(hash)));
  return stored;
}

/** Writes rows in batches, to all servers side by side; one batch to each at a time. */
class Sender {
  readonly #cluster: Cluster;
  readonly #table: AccountTable;
  readonly #options: SendOptions & { version: number; sent: Sent };
  readonly #columns: readonly string[];
  readonly #batches: Batch[];
  readonly #row: string;

  constructor(cluster: Cluster, table: AccountTable, options: SendOptions & { version: number; sent: Sent }) {
    this.#cluster = cluster;
    this.#table = table;
    this.#options = options;
    this.#columns = Object.keys(table.columns).map((name) => JSON.stringify(name));
    this.#batches = cluster.shards.map(emptyBatch);
    this.#row = `{"account":${JSON.stringify(options.account)},"version":${options.version}`;
  }

  async add(shard: number, values: readonly ClusterValue[]): Promise<void> {
    let line = this.#row;
    for (const [index, value] of values.entries()) {
      if (value !== null) line += `,${this.#columns[index]}:${JSON.stringify(value)}`;
    }
    await this.#push(shard, `${line}}\n`, "rows");
  }

  /** Marks a row as deleted: it stays, so that it takes the place of the one before. */
  async remove(shard: number, id: number): Promise<void> {
    const line = `${this.#row},${JSON.stringify(this.#table.key)}:${id},"is_deleted":1}\n`;
    await this.#push(shard, line, "removed");
  }

  /** Resolves when the servers have all rows. */
  async flush(): Promise<void> {
    for (const shard of this.#batches.keys()) await this.#start(shard);
    await Promise.all(this.#batches.map(({ writing }) => writing));
  }

  async #push(shard: number, line: string, kind: keyof Sent): Promise<void> {
    const batch = this.#batches[shard];
    if (batch === undefined) throw new Error(`There is no shard ${shard}`);
    // As bytes at once: the line is a tree of its pieces, which would be kept.
    const bytes = Buffer.from(line);
    batch.lines.push(bytes);
    batch.bytes += bytes.length;
    batch.counts[kind]++;
    const isFull = batch.lines.length >= BATCH_ROWS || batch.bytes >= BATCH_BYTES;
    if (isFull) await this.#start(shard);
  }

  /** Begins to write a batch, once the one before is written. */
  async #start(shard: number): Promise<void> {
    const [batch, node] = [this.#batches[shard], this.#cluster.shards[shard]];
    if (batch === undefined || node === undefined) throw new Error(`There is no shard ${shard}`);
    await batch.writing;
    const writing = this.#write(node, batch);
    writing.catch(() => {}); // whoever waits for it is told
    this.#batches[shard] = { ...emptyBatch(), writing };
  }

  async #write(node: ClickhouseNode, { lines, counts }: Batch): Promise<void> {
    if (lines.length === 0) return;
    const { account, signal, sent, onSent } = this.#options;
    const names = ["account", "version", ...Object.keys(this.#table.columns), "is_deleted"].map(quoted);
    await node.insert(
      `INSERT INTO ${this.#cluster.table(localName(this.#table.name))} (${names.join(", ")})`,
      Buffer.concat(lines),
      { doing: `write rows of ${account}`, signal },
    );
    sent.rows += counts.rows;
    sent.removed += counts.removed;
    onSent?.(sent.rows + sent.removed);
  }
}

interface Batch {
  lines: Buffer[];
  bytes: number;
  counts: Sent;
  /** Resolves when the batch before this one is written. */
  writing: Promise<void>;
}

function emptyBatch(): Batch {
  return { lines: [], bytes: 0, counts: { rows: 0, removed: 0 }, writing: Promise.resolve() };
}

function differentError(
  { shards }: Cluster,
  { name }: AccountTable,
  different: readonly number[],
  account: string,
): CalltallyError {
  const shown = different
    .slice(0, BUCKETS_SHOWN)
    .map((index) => `${index % BUCKETS} at ${shards[Math.floor(index / BUCKETS)]?.name}`);
  const others = different.length - shown.length;
  return new CalltallyError(
    EXIT.unverified,
    `Cannot confirm that the cluster has the ${name} of ${account}: they differ in bucket ${shown.join(", ")}${others > 0 ? `, and ${others} others` : ""}, and did so after all rows of it were sent again`,
    {
      hint: "Does something else write to these tables? Publish again; if it stays, name another database, which is filled anew.",
    },
  );
}
