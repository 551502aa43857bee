import { readLayers } from "../config/load-settings.ts";
import { SETTINGS } from "../config/settings.ts";
import { UsageError } from "../errors.ts";
import { startFigures } from "../export/figure-job.ts";
import { rollupTable } from "../export/rollups.ts";
import { toFileError } from "../file-access.ts";
import { RollupSession } from "../rollup/session.ts";
import type { SyncProgress } from "../sync/read-calls.ts";
import { runSync } from "../sync/run.ts";
import { toSyncOptions } from "../sync/sync-options.ts";
import { readBasis } from "../warehouse/basis.ts";
import { prepareCallerName } from "../warehouse/caller-hash.ts";
import { assertCurrent } from "../warehouse/migrate.ts";
import { type Warehouse as OpenWarehouse, openWarehouseReader } from "../warehouse/open.ts";
import { readRulesInForce } from "../warehouse/rules.ts";
import type { SyncRun as LedgerRun } from "../warehouse/runs.ts";
import { hasSpend } from "../warehouse/spend-table.ts";
import { nameFile } from "../warehouse/sqlite-errors.ts";
import { readStanding } from "../warehouse/standing.ts";
import { parseQuestion, parseSyncOptions, parseWarehousePath } from "./parse-options.ts";
import type {
  Rollup,
  RollupColumn,
  RollupQuestion,
  Standing,
  SyncOptions,
  SyncRun,
  Warehouse,
} from "./types.ts";

export { CalltallyError, type ExitCode } from "../errors.ts";
export type * from "./types.ts";

/**
 * Reads calls from the service into a warehouse, as `calltally sync` does, and says how complete the pass was. Neither
 * the environment nor a file of settings is read, and nothing is published to a cluster.
 *
 * @returns the run as it stands in the ledger; look at its verdict
 * @throws CalltallyError where it cannot go on, by its exit code: 2 for an option, 4 where the API refuses the token, 5
 * where it cannot be reached, 6 where another sync of the warehouse is running, 7 for its file, 8 for what is not API v3
 * @throws the reason of `signal`, where that is aborted. The pages read before any error are kept
 * @see docs/completeness.md
 */
export async function syncWarehouse(options: SyncOptions): Promise<SyncRun> {
  const parsed = parseSyncOptions(options);
  const { database, baseUrl, token, orgUnitId, mode, signal, onProgress, settings: others = {} } = parsed;
  const values = {
    ...others,
    [SETTINGS.database.env]: database,
    [SETTINGS.baseUrl.env]: baseUrl,
    [SETTINGS.token.env]: token,
    ...(orgUnitId !== undefined && { [SETTINGS.orgUnitId.env]: String(orgUnitId) }),
  };
  const settings = readLayers([{ origin: "environment", values }]);
  const asked = { ...toSyncOptions(settings), force: mode, signal };
  let theirs: unknown;
  const report = async (progress: SyncProgress) => {
    try {
      await onProgress?.(progress);
    } catch (error) {
      theirs = error;
      throw error;
    }
  };
  try {
    return toSyncRun(await runSync({ ...asked, onProgress: report }));
  } catch (error) {
    throw error === theirs || error === signal?.reason ? error : (toFileError(error) ?? error);
  }
}

/** The ledger has more of a run, which may be another with any version. */
function toSyncRun(run: LedgerRun): SyncRun {
  const { run_id, mode, verdict, verdict_reason, started_at, finished_at } = run;
  const { calls_read, calls_new, calls_changed, calls_rejected, calls_gone, calls_withheld } = run;
  const ended = { run_id, mode, verdict, verdict_reason, started_at, finished_at };
  const counts = { calls_read, calls_new, calls_changed, calls_rejected, calls_gone, calls_withheld };
  return { ...ended, ...counts } as SyncRun; // it has ended, so nothing of it is missing
}

/**
 * Opens an existing warehouse to read from it; it may be synced meanwhile.
 *
 * @throws CalltallyError (exit 7) where there is none, or none of this version's schema, which a sync migrates
 */
export function openWarehouse(path: string): Warehouse {
  const file = parseWarehousePath(path);
  const warehouse = named(file, () => openWarehouseReader(file));
  try {
    named(file, () => assertCurrent(warehouse));
  } catch (error) {
    warehouse[Symbol.dispose]();
    throw error;
  }
  return {
    path: warehouse.path,
    rollup: (question) => read(warehouse, () => readRollup(warehouse, question)),
    readStanding: () => read(warehouse, () => readWhole(warehouse)),
    [Symbol.dispose]: () => warehouse[Symbol.dispose](),
  };
}

function readWhole(warehouse: OpenWarehouse): Standing {
  const { calls, total, newest_call, verified, rejected } = readBasis(warehouse);
  const { run, unlisted } = readStanding(warehouse);
  return {
    run: run as Standing["run"],
    verified,
    calls,
    unlisted,
    total,
    newest_call,
    rejected,
  };
}

function readRollup(warehouse: OpenWarehouse, question: RollupQuestion): Rollup {
  const { by, from, to, filter = {}, grain, compare, top, ...flags } = parseQuestion(question);
  const { timezone = "UTC", fill = false, spend = false, total = false } = flags;
  const range = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  using session = new RollupSession(warehouse.sqlite, {
    rules: () => readRulesInForce(warehouse).rules,
    filter,
    nameCaller: prepareCallerName(warehouse),
  });
  const [unmatched] = session.findUnmatched(filter);
  if (unmatched !== undefined) {
    const { filter: name, text, advice } = unmatched;
    throw new UsageError(`filter.${name}: no call has ${text}`, { hint: advice });
  }
  const asked = {
    timezone,
    range,
    filter,
    grain,
    compare,
    top,
    fill,
    spend,
    total,
    lookbackHours: 0,
    isEmptyAllowed: true,
  };
  const job = startFigures(session, readStanding(warehouse), { hasSpend: () => hasSpend(warehouse) }, asked);
  const none = { session, readBasis: () => readBasis(warehouse), givenOut: undefined };
  const write = () => {
    throw new Error("Nothing is written");
  };
  const { columns, rows } = rollupTable({ ...job, ...none, write }, { kind: "rollup", dimensions: by });
  const names = columns.map(({ name }) => name);
  return {
    columns: columns as readonly RollupColumn[], // dates are those of workbooks alone
    rows: Iterator.from(rows)
      .map((row) => Object.fromEntries(names.map((name, index) => [name, row[index] ?? null])))
      .toArray(),
  };
}

function read<T>({ path, sqlite }: OpenWarehouse, work: () => T): T {
  if (sqlite.open) return named(path, work);
  throw new UsageError(`Cannot read ${path}: it was disposed of`, { hint: "Open it again." });
}

/** Makes errors of SQLite and of the file system name the warehouse. */
function named<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toFileError(error) ?? nameFile(error, path);
  }
}
