import { systemClock } from "../base/clock.ts";
import { CalltallyError, describeError, EXIT, InterruptedError } from "../base/errors.ts";
import { beginMarks } from "../warehouse/changed-buckets.ts";
import { tryAcquireLock } from "../warehouse/lock.ts";
import { openAsPermitted } from "../warehouse/open.ts";
import { openOwn } from "../warehouse/own-warehouse.ts";
import { upsertPublication } from "../warehouse/publication-table.ts";
import { nameFile } from "../warehouse/sqlite-errors.ts";
import type { Reader, Warehouse } from "../warehouse/warehouse.ts";
import { openCluster } from "./cluster.ts";
import { makeTables } from "./cluster-tables.ts";
import { publishAccount } from "./publish-account.ts";
import type { PublishOptions } from "./publish-options.ts";

/** The account's name if calltally.yaml names none. */
const ONLY_ACCOUNT = "default";

/**
 * Publishes the facts and the spend of an account to a cluster, so that both sides have the same rows, whatever the
 * cluster had before. `published_at` changes only when the cluster has confirmed all of them.
 * @throws CalltallyError (exit 3) if the two sides still differ; (exit 2, 4, 5 or 8) if the cluster cannot be used;
 * (exit 6) if another process publishes the account
 */
export async function publish(options: PublishOptions) {
  const { account = ONLY_ACCOUNT, to, user, passwordFile, signal, clock = systemClock } = options;
  using warehouse = openOwn(options, openAsPermitted);
  using _lock = warehouse.writer && acquireLock(warehouse);
  const started = { target: to.name, account, attempted_at: new Date(clock.now()).toISOString() };
  record(warehouse.writer, { ...started, error: null });
  if (warehouse.writer) beginMarks(warehouse.writer);
  try {
    const startedMs = clock.now();
    await using cluster = await openCluster({ address: to, user, passwordFile }, signal);
    await makeTables(cluster, signal);
    const { result, state } = await publishAccount(cluster, warehouse, {
      ...options,
      account,
      startedMs,
      clock,
    });
    const { published_at, run_id, totals } = result;
    record(warehouse.writer, {
      ...started,
      error: null,
      published_at,
      run_id,
      calls: totals.calls,
      ...state,
    });
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
