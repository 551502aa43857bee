import { hash } from "node:crypto";
import { z } from "zod";
import { type Clock, systemClock } from "../../base/clock.ts";
import { CalltallyError, describeError, EXIT, InterruptedError, UsageError } from "../../base/errors.ts";
import type { Settings } from "../../config/load-settings.ts";
import { assertOwnCalls } from "../../export/statements/own-calls.ts";
import { beginMarks, readChanges } from "../../warehouse/changed-calls.ts";
import { tryAcquireLock } from "../../warehouse/file/lock.ts";
import { connect, openAsPermitted } from "../../warehouse/file/open.ts";
import { type OwnWarehouse, openOwn } from "../../warehouse/file/own-warehouse.ts";
import { nameFile } from "../../warehouse/file/sqlite-errors.ts";
import { readOrigin } from "../../warehouse/origin.ts";
import { readLastForgotten } from "../../warehouse/privacy-act-table.ts";
import { readPublication, upsertPublication } from "../../warehouse/publication-table.ts";
import type { Reader, Warehouse } from "../../warehouse/warehouse.ts";
import { Claim } from "./claim.ts";
import { type Cluster, openCluster } from "./cluster.ts";
import { makeTables } from "./cluster-tables.ts";
import { eraseReplaced } from "./erase-replaced.ts";
import { openLocalCalls, openLocalSpend } from "./local-rows.ts";
import { type About, readAbout, readTotals } from "./published.ts";

import { sendRows } from "./send-rows.ts";

/** The account's name if calltally.yaml names none. */
const ONLY_ACCOUNT = "default";

/** What an account is published by. */
export interface PublishedSettings extends OwnWarehouse, Pick<Settings, "timezone" | "lookbackHours"> {
  publish: Omit<Settings["publish"], "isAfterSync">;
}

export interface PublishOptions {
  /** @default "default" */
  account: string | undefined;
  /** Whether to compare all rows, not only changed ones. @default false */
  isThorough?: boolean | undefined;
  clock?: Clock;
  signal?: AbortSignal | undefined;
}

/**
 * Publishes the facts and the spend of an account to a cluster, so that both sides have the same rows, whatever the
 * cluster had before. `published_at` changes only when the cluster has confirmed all of them.
 * @throws CalltallyError (exit 3) if another account has the same calls, or the two sides still differ; (exit 2, 4, 5 or 8) if the cluster cannot be used;
 * (exit 6) if another process publishes the account
 */
export async function publish(
  settings: PublishedSettings,
  { account = ONLY_ACCOUNT, isThorough = false, clock = systemClock, signal }: PublishOptions,
) {
  const { to, user, passwordFile } = settings.publish;
  if (to === undefined) {
    throw new UsageError("CALLTALLY_PUBLISH_TO is not set", {
      hint: "Set it to a cluster, or give --to, such as --to clickhouse://host1,host2/database",
    });
  }
  using warehouse = openOwn(settings, openAsPermitted);
  assertOwnCalls(warehouse, settings, `publish ${account} to ${to.name}`);
  using _lock = warehouse.writer && acquireLock(warehouse);
  const startedMs = clock.now();
  const started = { target: to.name, account, attempted_at: new Date(startedMs).toISOString(), error: null };
  record(warehouse.writer, started);
  if (warehouse.writer) beginMarks(warehouse.writer);
  try {
    await using cluster = await openCluster({ address: to, user, passwordFile }, signal);
    await makeTables(cluster, signal);
    const options = { account, isThorough, clock, signal, startedMs };
    const { result, state } = await publishAccount(cluster, warehouse, settings, options);
    const { published_at, run_id, totals } = result;
    record(warehouse.writer, { ...started, published_at, run_id, calls: totals.calls, ...state });
    return result;
  } catch (error) {
    const known = nameFile(error, warehouse.path);
    if (!(known instanceof InterruptedError))
      record(warehouse.writer, { ...started, error: describeError(known) });
    throw known;
  }
}

function record(writer: Warehouse | undefined, publication: Parameters<typeof upsertPublication>[1]): void {
  if (writer) upsertPublication(writer, publication);
}

function acquireLock({ path }: Reader): Disposable {
  const lock = tryAcquireLock(`${path}.publish`);
  if (lock !== undefined) return lock;
  throw new CalltallyError(EXIT.locked, `Cannot publish ${path}: another process is publishing it`, {
    hint: "Wait for it to end.",
  });
}

interface AccountOptions extends PublishOptions {
  account: string;
  clock: Clock;
  startedMs: number;
}

/** Publishes one moment of a warehouse; also returns the state to store for the next publication. */
async function publishAccount(
  cluster: Cluster,
  warehouse: Reader,
  { publish: { isPersonal }, timezone, lookbackHours }: PublishedSettings,
  { account, isThorough, clock, signal, startedMs }: AccountOptions,
) {
  const { name: target } = cluster.address;
  using reader = connect(warehouse);
  reader.sqlite.exec("BEGIN");
  const { warehouse_id } = readOrigin(reader);
  const last = readPublication(reader, target);
  const { shards } = cluster;

  const claim = await Claim.take(cluster, { account, warehouse_id, startedMs }, signal);
  const ofCalls = openLocalCalls(reader, { account, shards, isPersonal, timezone });
  const ofSpend = openLocalSpend(reader, { account, shards });
  const basis = hash("sha256", ofCalls.basis);
  const sums = isThorough ? undefined : parseKept(last?.totals, basis);
  const { changeId, ids } = readChanges(reader, last?.change_id ?? 0);
  const calls = await sendRows(claim, ofCalls, { known: sums?.calls, changed: ids, signal });
  // Spend is small enough to be compared row by row.
  const spend = await sendRows(claim, ofSpend, { known: undefined, changed: [], signal });
  const act_id = readLastForgotten(reader);
  const about: About = {
    ...readAbout(reader),
    is_personal: isPersonal,
    timezone,
    lookback_hours: lookbackHours,
    totals: readTotals(reader),
  };
  const isForgotten = claim.before !== undefined && act_id > (last?.act_id ?? 0);
  const erased = await eraseReplaced(claim, about, { isForgotten, signal });
  const published_at = new Date(clock.now()).toISOString();
  await claim.confirm(published_at, about);

  const result = {
    /** Address of the cluster, without the user. */
    target,
    account,
    shards,
    published_at,
    run_id: about.run?.run_id ?? null,
    totals: about.totals,
    sent: { calls: calls.sent, spend: spend.sent },
    /** Whether the servers merged their parts, because replaced rows held personal data. */
    erased,
    elapsed_ms: clock.now() - startedMs,
  };
  const totals: z.infer<typeof keptSchema> = { basis, calls: calls.hashes };
  const hashed_at = sums === undefined ? { hashed_at: new Date(startedMs).toISOString() } : {};
  return { result, state: { act_id, change_id: changeId, totals: JSON.stringify(totals), ...hashed_at } };
}

/** The hash of each month of the calls, at each server, when it was confirmed. */
const keptSchema = z.object({ basis: z.string(), calls: z.array(z.record(z.string(), z.string())) });

/** @returns undefined if nothing is known, or rows are now made differently */
function parseKept(text: string | null | undefined, basis: string) {
  if (text == null) return undefined;
  const sums = keptSchema.safeParse(JSON.parse(text)).data;
  return sums?.basis === basis ? sums : undefined;
}
