import { type Clock, systemClock } from "../clock.ts";
import type { ClusterAddress } from "../config/cluster-url.ts";
import { CalltallyError, describeError, EXIT, InterruptedError } from "../errors.ts";
import { beginMarks, readChanges } from "../warehouse/changed-buckets.ts";
import { tryAcquireLock } from "../warehouse/lock.ts";
import { openAsPermitted, openReader, type Warehouse } from "../warehouse/open.ts";
import { readOrigin } from "../warehouse/origin.ts";
import { type OwnWarehouse, openOwn } from "../warehouse/own-warehouse.ts";
import { readLastForgotten } from "../warehouse/privacy-act-table.ts";
import { readPublication, upsertPublication } from "../warehouse/publication-table.ts";
import { nameFile } from "../warehouse/sqlite-errors.ts";
import { type About, readAbout, type Totals } from "./about.ts";
import { literal } from "./clickhouse-text.ts";
import { type Cluster, openCluster } from "./cluster.ts";
import { FACTS_TABLE, makeTables, SPEND_TABLE } from "./cluster-tables.ts";
import { eraseReplaced, hasPlainTexts } from "./erase-replaced.ts";
import { describeTotals, type LocalState, readKnownTotals } from "./known-totals.ts";
import { openLocalFacts, openLocalSpend } from "./local-rows.ts";
import {
  assertAlone,
  assertSameWarehouse,
  type Published,
  readNextVersion,
  readPublished,
  writePublished,
} from "./published.ts";
import { type Sent, sendDifferences } from "./send-differences.ts";

/** The account of a warehouse that no file names. */
const ONLY_ACCOUNT = "default";

export interface PublishOptions extends OwnWarehouse {
  /** The account's name; undefined for the only one. */
  account: string | undefined;
  to: ClusterAddress;
  user?: string | undefined;
  passwordFile?: string | undefined;
  /** Whether numbers and click ids go as they are. */
  isPersonal: boolean;
  /** Whether all facts are hashed, and not only those that have changed since the last publication. @default true */
  isThorough?: boolean | undefined;
  /** What the account's figures stand on beside its warehouse, for those who read them. */
  timezone: string;
  lookbackHours: number;
  clock?: Clock;
  signal?: AbortSignal | undefined;
  /** Receives how many rows of a table were sent so far. */
  onSent?: ((rows: number) => void) | undefined;
}

/** What a publication has done. */
export interface PublishResult {
  /** Address of the cluster, without the user. */
  target: string;
  account: string;
  shards: number;
  published_at: string;
  run_id: number | null;
  totals: Totals;
  sent: { calls: Sent; spend: Sent };
  /** Whether the servers merged their parts, since rows that were replaced told what is not to be there any more. */
  erased: boolean;
  elapsed_ms: number;
}

/**
 * Publishes the facts and the spend of an account to a cluster, so that both have the same, whatever the cluster had
 * before. What is published moves only when the cluster has confirmed all of it.
 *
 * @throws CalltallyError (exit 3) where the cluster has others all the same; (exit 2, 4, 5 or 8) where it cannot be used;
 * (exit 6) beside another publication of the warehouse
 */
export async function publish(options: PublishOptions): Promise<PublishResult> {
  const { account = ONLY_ACCOUNT, to, clock = systemClock } = options;
  using warehouse = openOwn(options, openAsPermitted);
  using _lock = warehouse.sqlite.readonly ? undefined : acquireLock(warehouse);
  const started = { target: to.name, account, attempted_at: new Date(clock.now()).toISOString() };
  record(warehouse, { ...started, error: null });
  if (!warehouse.sqlite.readonly) beginMarks(warehouse);
  try {
    const { result, state } = await publishFrom(warehouse, { ...options, account, clock });
    const { published_at, run_id, totals } = result;
    record(warehouse, { ...started, error: null, published_at, run_id, calls: totals.calls, ...state });
    return result;
  } catch (error) {
    const known = nameFile(error, warehouse.path);
    if (!(known instanceof InterruptedError)) record(warehouse, { ...started, error: describeError(known) });
    throw known;
  }
}

/** Nothing is recorded where this user may only read. */
function record(warehouse: Warehouse, publication: Parameters<typeof upsertPublication>[1]): void {
  if (!warehouse.sqlite.readonly) upsertPublication(warehouse, publication);
}

function acquireLock({ path }: Warehouse): Disposable {
  const lock = tryAcquireLock(`${path}.publish`);
  if (lock !== undefined) return lock;
  throw new CalltallyError(EXIT.locked, `Cannot publish ${path}: another process is publishing it`, {
    hint: "Wait for it to end.",
  });
}

async function publishFrom(
  warehouse: Warehouse,
  {
    account,
    to,
    user,
    passwordFile,
    isPersonal,
    timezone,
    lookbackHours,
    isThorough = true,
    clock,
    signal,
    onSent,
  }: PublishOptions & {
    account: string;
    clock: Clock;
  },
): Promise<{ result: PublishResult; state: LocalState }> {
  const startedMs = clock.now();
  await using cluster = await openCluster({ address: to, user, passwordFile }, signal);
  await makeTables(cluster, signal);
  using reader = openReader(warehouse);
  reader.sqlite.exec("BEGIN");

  const { warehouse_id } = readOrigin(reader);
  const [before] = await readPublished(cluster, { account, signal });
  await assertSameWarehouse(cluster, { account, found: before, warehouseId: warehouse_id }, signal);
  const version = await readNextVersion(cluster, account, signal);
  const shards = cluster.shards.length;
  const recorded: number[] = [];
  const claim = { account, before, recorded };
  const onSending = async () => {
    if (recorded.length === 0) {
      const unfinished_since = new Date(startedMs).toISOString();
      const blank = { published_at: null, about: "{}", buckets: "{}" };
      const begun = { ...blank, ...before, account, warehouse_id, version, unfinished_since };
      await writePublished(cluster, begun, signal);
      recorded.push(version);
    }
    await assertAlone(cluster, claim, signal);
  };
  const send = { account, signal, onSent, onSending };
  const local = { account, shards, isPersonal };
  const facts = openLocalFacts(reader, local);
  const last = readPublication(reader, to.name);
  const changes = readChanges(reader, last?.change_id ?? 0);
  const known = isThorough ? undefined : readKnownTotals(last, facts, { shards, changes, nowMs: startedMs });
  const calls = await sendDifferences(cluster, facts, version, { ...send, known });
  const spend = await sendDifferences(cluster, openLocalSpend(reader, local), version, send);
  const totals = readLocalTotals(reader);
  await assertTotals(cluster, account, totals, signal);

  const published_at = new Date(clock.now()).toISOString();
  const about: About = {
    ...readAbout(reader),
    is_personal: isPersonal,
    timezone,
    lookback_hours: lookbackHours,
    totals,
  };
  const published: Published = {
    account,
    warehouse_id,
    version: version + 2, // above those of all rows
    published_at,
    unfinished_since: null,
    about: JSON.stringify(about),
    buckets: JSON.stringify({
      [FACTS_TABLE.name]: calls.totals.describe(),
      [SPEND_TABLE.name]: spend.totals.describe(),
    }),
  };
  await assertAlone(cluster, claim, signal);
  await writePublished(cluster, published, signal);
  recorded.push(published.version);
  await assertAlone(cluster, claim, signal);
  const forgotten = readLastForgotten(reader);
  const erasing = { account, signal };
  const isErased =
    (before !== undefined && forgotten > (last?.act_id ?? 0)) ||
    (await hasPlainTexts(cluster, digestedColumns(isPersonal, about), erasing));
  if (isErased) await eraseReplaced(cluster, erasing);
  const result = {
    target: to.name,
    account,
    shards,
    published_at,
    run_id: about.run?.run_id ?? null,
    totals,
    sent: { calls: calls.sent, spend: spend.sent },
    erased: isErased,
    elapsed_ms: clock.now() - startedMs,
  };
  const state = {
    change_id: changes.changeId,
    act_id: forgotten,
    totals: describeTotals(facts, calls.totals),
    ...(calls.isHashed && { hashed_at: new Date(startedMs).toISOString() }),
  };
  return { result, state };
}

/** Columns that are to have keyed digests alone. */
function digestedColumns(isPersonal: boolean, { caller_digests }: Pick<About, "caller_digests">): string[] {
  if (!isPersonal) return ["caller", "gclid"];
  return caller_digests ? ["caller"] : [];
}

const COUNTED = "count(*), coalesce(sum(is_live), 0), coalesce(sum(duration), 0), count(DISTINCT caller)";

function readLocalTotals({ sqlite }: Warehouse): Totals {
  const [calls = 0, live_calls = 0, duration = 0, callers = 0] =
    sqlite.prepare<[], number[]>(`SELECT ${COUNTED} FROM ${FACTS_TABLE.name}`).raw().get() ?? [];
  const spend_rows =
    sqlite.prepare<[], number>(`SELECT count(*) FROM ${SPEND_TABLE.name}`).pluck().get() ?? 0;
  return { calls, live_calls, duration, callers, spend_rows };
}

/** Asks for the totals as readers do, over all shards. */
async function assertTotals(
  cluster: Cluster,
  account: string,
  here: Totals,
  signal: AbortSignal | undefined,
): Promise<void> {
  const options = { doing: `read the totals of ${account}`, signal };
  const where = `FINAL WHERE account = ${literal(account)} AND is_deleted = 0`;
  const [counted] = await cluster.select(
    `SELECT count(), sum(is_live), sum(duration), uniqExact(caller) FROM ${cluster.table(FACTS_TABLE.name)} ${where}`,
    options,
  );
  const [spend] = await cluster.select(
    `SELECT count() FROM ${cluster.table(SPEND_TABLE.name)} ${where}`,
    options,
  );
  const there = [...(counted ?? []), ...(spend ?? [])];
  for (const [index, [name, value]] of Object.entries(here).entries()) {
    // A sum over nothing is null.
    const found = Number(there[index] ?? 0);
    if (found === value) continue;
    throw new CalltallyError(
      EXIT.unverified,
      `Cannot confirm that the cluster has all of ${account}: ${name.replace("_", " ")} are ${found} over all shards, and ${value} here`,
      {
        hint: "Does each server reach the others as remote_servers says, and is it the same cluster for all of them?",
      },
    );
  }
}
