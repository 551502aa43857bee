import { CalltallyError, EXIT } from "../base/errors.ts";
import { paced } from "../base/paced.ts";
import { BUCKETS } from "../warehouse/changed-buckets.ts";
import { type Claim, ROW_VERSIONS } from "./claim.ts";
import type { ClickhouseNode } from "./clickhouse-node.ts";
import { literal, quoted } from "./clickhouse-text.ts";
import { type AccountTable, localName } from "./cluster-tables.ts";
import { type KnownTotals, type LocalTable, totalsOf } from "./local-rows.ts";
import { BucketTotals, bucketOf } from "./row-hash.ts";

export interface Sent {
  rows: number;
  /** Rows marked as deleted: calls that the warehouse no longer has, or that moved to another shard. */
  removed: number;
}

export interface SendOptions {
  known?: KnownTotals | undefined;
  signal?: AbortSignal | undefined;
  onSent?: ((rows: number) => void) | undefined;
}

/** Most rows in the cluster whose keys and hashes are held in memory at once. */
const GROUP_ROWS = 200_000;
/** Upper bounds of an INSERT: the server makes one part of it. */
const BATCH_ROWS = 20_000;
const BATCH_BYTES = 16_000_000;
const BUCKETS_SHOWN = 5;

/**
 * Makes an account's rows in the cluster equal to the warehouse: compares the buckets, sends the rows that differ,
 * and compares again. Of a bucket that still differs, it sends all rows, in the claim's next version.
 * @returns what was sent, the totals of both sides, and whether all rows were hashed
 * @throws CalltallyError (exit 3) that names the buckets that still differ
 */
export async function sendDifferences(claim: Claim, local: LocalTable, options: SendOptions) {
  const { table } = local;
  const { cluster } = claim;
  const { signal } = options;
  const sent = { rows: 0, removed: 0 };
  let { known } = options;
  let here = await totalsOf(local, cluster.shards.length, { known, signal });
  for (let round = 0; ; round++) {
    const there = await readTotals(claim, table, signal);
    let different = here.differences(there);
    // The cluster differs where nothing has changed here: the known totals may be wrong.
    if (different.some((index) => known?.changed.includes(index % BUCKETS) === false)) {
      known = undefined;
      here = await totalsOf(local, cluster.shards.length, { signal });
      different = here.differences(there);
    }
    if (different.length === 0) return { sent, totals: here, isHashed: known === undefined };
    if (round === ROW_VERSIONS) throw differentError(claim, table, different);
    for (const group of groupsOf(different, there)) {
      const version = (await claim.hold()) + round;
      const changes = changesOf(claim, local, group, { version, isWhole: round > 0, signal });
      await writeChanges(claim, table, changes, sent, options);
    }
  }
}

async function readTotals(
  { cluster, account }: Claim,
  { name, key }: AccountTable,
  signal: AbortSignal | undefined,
): Promise<BucketTotals> {
  const totals = new BucketTotals(cluster.shards.length);
  const found = await cluster.atEach((node) =>
    node.select(
      `SELECT bitAnd(${quoted(key)}, ${BUCKETS - 1}) AS bucket, count() AS count, groupBitXor(row_hash) AS hash
FROM ${cluster.table(localName(name))} FINAL
WHERE account = ${literal(account)} AND is_deleted = 0 GROUP BY bucket`,
      { doing: `read the totals of ${account}`, signal },
    ),
  );
  for (const [shard, rows] of found.entries()) {
    for (const { bucket, count, hash } of rows)
      totals.set(shard, Number(bucket), BigInt(count ?? 0), BigInt(hash ?? 0));
  }
  return totals;
}

/** Groups the buckets that differ, by how many rows the cluster has in them. */
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

interface Change {
  shard: number;
  line: string;
  kind: keyof Sent;
}

/** Returns the rows of some buckets to write: all, or the different ones; a row that is not here is marked as deleted. */
async function* changesOf(
  claim: Claim,
  { table, read }: LocalTable,
  group: ReadonlySet<number>,
  { version, isWhole, signal }: Pick<SendOptions, "signal"> & { version: number; isWhole: boolean },
): AsyncGenerator<Change> {
  const stored = await claim.cluster.atEach((node, shard) => {
    const buckets = [...group].flatMap((index) =>
      Math.floor(index / BUCKETS) === shard ? [index % BUCKETS] : [],
    );
    return readStored(node, claim, table, { buckets, signal });
  });
  const row = `{"account":${JSON.stringify(claim.account)},"version":${version}`;
  const columns = Object.keys(table.columns).map((name) => JSON.stringify(name));
  const buckets = [...new Set([...group].map((index) => index % BUCKETS))];
  for await (const { id, shard, hash, values } of paced(read(buckets), signal)) {
    if (!group.has(shard * BUCKETS + bucketOf(id))) continue;
    const known = stored[shard]?.get(id);
    stored[shard]?.delete(id);
    if (!isWhole && known === hash) continue;
    let line = row;
    for (const [index, value] of values.entries()) {
      if (value !== null) line += `,${columns[index]}:${JSON.stringify(value)}`;
    }
    yield { shard, line: `${line}}\n`, kind: "rows" };
  }
  for (const [shard, left] of stored.entries()) {
    for (const id of left.keys())
      yield { shard, line: `${row},${JSON.stringify(table.key)}:${id},"is_deleted":1}\n`, kind: "removed" };
  }
}

async function readStored(
  node: ClickhouseNode,
  { cluster, account }: Claim,
  { name, key }: AccountTable,
  { buckets, signal }: Pick<SendOptions, "signal"> & { buckets: readonly number[] },
): Promise<Map<number, bigint>> {
  const stored = new Map<number, bigint>();
  if (buckets.length === 0) return stored;
  const rows = node.iterate(
    `SELECT ${quoted(key)} AS id, row_hash AS hash FROM ${cluster.table(localName(name))} FINAL
WHERE account = ${literal(account)} AND is_deleted = 0 AND bitAnd(${quoted(key)}, ${BUCKETS - 1}) IN (${buckets.join(", ")})`,
    { doing: `read the rows of ${account}`, signal },
  );
  for await (const { id, hash } of rows) stored.set(Number(id), BigInt(hash ?? 0));
  return stored;
}

/** Writes rows in batches, to all servers in parallel; one batch to each at a time. Adds to `sent`. */
async function writeChanges(
  { cluster, account }: Claim,
  { name, columns }: AccountTable,
  changes: AsyncIterable<Change>,
  sent: Sent,
  { signal, onSent }: SendOptions,
): Promise<void> {
  const names = ["account", "version", ...Object.keys(columns), "is_deleted"].map(quoted);
  const statement = `INSERT INTO ${cluster.table(localName(name))} (${names.join(", ")})`;
  const write = async (node: ClickhouseNode, { lines, counts }: ReturnType<typeof emptyBatch>) => {
    await node.insert(statement, Buffer.concat(lines), { doing: `write rows of ${account}`, signal });
    sent.rows += counts.rows;
    sent.removed += counts.removed;
    onSent?.(sent.rows + sent.removed);
  };
  const servers = cluster.shards.map((node) => ({ node, batch: emptyBatch() }));
  const start = async (server: (typeof servers)[number]) => {
    await server.batch.writing;
    const writing = write(server.node, server.batch);
    writing.catch(() => {}); // the next start or the end throws it
    server.batch = emptyBatch(writing);
  };
  for await (const { shard, line, kind } of changes) {
    const server = servers[shard];
    if (server === undefined) throw new Error(`There is no shard ${shard}`);
    const { batch } = server;
    // Bytes now: a concatenated string would keep all of its pieces in memory.
    const bytes = Buffer.from(line);
    batch.lines.push(bytes);
    batch.bytes += bytes.length;
    batch.counts[kind]++;
    if (batch.lines.length >= BATCH_ROWS || batch.bytes >= BATCH_BYTES) await start(server);
  }
  for (const server of servers) if (server.batch.lines.length > 0) await start(server);
  await Promise.all(servers.map(({ batch }) => batch.writing));
}

/** @param writing resolves when the previous batch is written */
function emptyBatch(writing = Promise.resolve()) {
  const lines: Buffer[] = [];
  return { lines, bytes: 0, counts: { rows: 0, removed: 0 }, writing };
}

function differentError(
  { cluster: { shards }, account }: Claim,
  { name }: AccountTable,
  different: readonly number[],
): CalltallyError {
  const shown = different
    .slice(0, BUCKETS_SHOWN)
    .map((index) => `${index % BUCKETS} at ${shards[Math.floor(index / BUCKETS)]?.name}`);
  const others = different.length - shown.length;
  return new CalltallyError(
    EXIT.unverified,
    `Cannot confirm that the cluster has the ${name} of ${account}: they differ in bucket ${shown.join(", ")}${others > 0 ? `, and ${others} others` : ""}, and did so after all rows of it were sent again`,
    {
      hint: "Another program may write to these tables. Publish again; if the difference remains, use another database.",
    },
  );
}
