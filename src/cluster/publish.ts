import { type Clock, systemClock } from "../base/clock.ts";
import { CalltallyError, describeError, EXIT, InterruptedError } from "../base/errors.ts";
import type { ClusterAddress } from "../config/cluster-url.ts";
import { beginMarks } from "../warehouse/changed-buckets.ts";
import { tryAcquireLock } from "../warehouse/lock.ts";
import { openAsPermitted, openReader } from "../warehouse/open.ts";
import { readOrigin } from "../warehouse/origin.ts";
import { type OwnWarehouse, openOwn } from "../warehouse/own-warehouse.ts";
import { readLastForgotten } from "../warehouse/privacy-act-table.ts";
import { readPublication, upsertPublication } from "../warehouse/publication-table.ts";
import { nameFile } from "../warehouse/sqlite-errors.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { Claim } from "./claim.ts";
import { literal } from "./clickhouse-text.ts";
import { openCluster } from "./cluster.ts";
import { FACTS_TABLE, makeTables, SPEND_TABLE } from "./cluster-tables.ts";
import { eraseReplaced } from "./erase-replaced.ts";
import { openLocalSpend } from "./local-rows.ts";
import { type About, readAbout, type Totals } from "./published-about.ts";
import { type Sent, sendDifferences } from "./send-differences.ts";
import { sendFacts } from "./send-facts.ts";

/** The account's name where calltally.yaml names none. */
const ONLY_ACCOUNT = "default";

export interface PublishOptions extends OwnWarehouse {
  /** @default "default" */
  account: string | undefined;
  to: ClusterAddress;
  user?: string | undefined;
  passwordFile?: string | undefined;
  /** Whether callers' numbers and click ids are published, rather than keyed digests. */
  isPersonal: boolean;
  /** Whether to hash all facts, rather than those that changed since the last publication. @default true */
  isThorough?: boolean | undefined;
  /** Published with the account, for its readers. */
  timezone: string;
  lookbackHours: number;
  clock?: Clock;
  signal?: AbortSignal | undefined;
  /** Receives how many rows of a table were sent so far. */
  onSent?: ((rows: number) => void) | undefined;
}

export interface PublishResult {
  /** Address of the cluster, without the user. */
  target: string;
  account: string;
  shards: number;
  published_at: string;
  run_id: number | null;
  totals: Totals;
  sent: { calls: Sent; spend: Sent };
  /** Whether the servers merged their parts, because replaced rows held personal data. */
  erased: boolean;
  elapsed_ms: number;
}

/**
 * Publishes the facts and the spend of an account to a cluster, so that both sides have the same rows, whatever the
 * cluster had before. `published_at` moves only when the cluster has confirmed all of them.
 *
 * @throws CalltallyError (exit 3) if the two sides still differ; (exit 2, 4, 5 or 8) if the cluster cannot be used;
 * (exit 6) if the account is being published by another process
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

/** Records nothing in a read-only warehouse. */
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
  options: PublishOptions & { account: string; clock: Clock },
) {
  const { account, to, user, passwordFile, isPersonal, timezone, lookbackHours } = options;
  const { clock, signal, onSent } = options;
  const startedMs = clock.now();
  await using cluster = await openCluster({ address: to, user, passwordFile }, signal);
  await makeTables(cluster, signal);
  using reader = openReader(warehouse);
  reader.sqlite.exec("BEGIN");
  const { warehouse_id } = readOrigin(reader);
  const last = readPublication(reader, to.name);
  const local = { account, shards: cluster.shards.length, isPersonal };

  const claim = await Claim.take(cluster, { account, warehouse_id, startedMs }, signal);
  const { state, ...calls } = await sendFacts(claim, reader, { ...options, local, last, nowMs: startedMs });
  const spend = await sendDifferences(claim, openLocalSpend(reader, local), { signal, onSent });
  const totals = await confirmTotals(claim, reader, signal);
  const settings = { is_personal: isPersonal, timezone, lookback_hours: lookbackHours };
  const about: About = { ...readAbout(reader), ...settings, totals };
  const published_at = new Date(clock.now()).toISOString();
  const before = await claim.confirm({ published_at, about, calls, spend });
  const act_id = readLastForgotten(reader);
  const isForgotten = before !== undefined && act_id > (last?.act_id ?? 0);
  const erased = await eraseReplaced(cluster, about, { account, isForgotten, signal });

  const result: PublishResult = {
    target: to.name,
    account,
    shards: local.shards,
    published_at,
    run_id: about.run?.run_id ?? null,
    totals,
    sent: { calls: calls.sent, spend: spend.sent },
    erased,
    elapsed_ms: clock.now() - startedMs,
  };
  return { result, state: { ...state, act_id } };
}

const TOTALS = `SELECT count(*), coalesce(sum(is_live), 0), coalesce(sum(duration), 0), count(DISTINCT caller),
  (SELECT count(*) FROM ${SPEND_TABLE.name}) FROM ${FACTS_TABLE.name}`;

/**
 * Returns the totals of an account in the warehouse.
 *
 * @throws CalltallyError (exit 3) if the cluster, read over all shards as by its readers, has different ones
 */
async function confirmTotals(
  { cluster, account }: Claim,
  { sqlite }: Warehouse,
  signal: AbortSignal | undefined,
): Promise<Totals> {
  const [calls = 0, live_calls = 0, duration = 0, callers = 0, spend_rows = 0] =
    sqlite.prepare<[], number[]>(TOTALS).raw().get() ?? [];
  const here: Totals = { calls, live_calls, duration, callers, spend_rows };
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
  return here;
}
