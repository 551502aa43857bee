import pLimit from "p-limit";
import { UnmatchedError, UsageError } from "../base/errors.ts";
import { toFileError } from "../base/file-access.ts";
import { readLayers } from "../config/load-settings.ts";
import { SETTINGS } from "../config/settings.ts";
import { memoryOutput } from "../export/output/memory.ts";
import { produce } from "../produce/produce.ts";
import { readOnlySource } from "../produce/warehouse-source.ts";
import { check } from "../request/check.ts";
import { resolve } from "../request/resolve.ts";
import type { SyncProgress } from "../sync/read-calls.ts";
import { runSync } from "../sync/run.ts";
import { toSyncOptions } from "../sync/sync-options.ts";
import { openWarehouseReader } from "../warehouse/open.ts";
import { readBasis } from "../warehouse/runs/basis.ts";
import type { SyncRun as LedgerRun } from "../warehouse/runs/runs.ts";
import { readStanding } from "../warehouse/runs/standing.ts";
import { nameFile } from "../warehouse/sqlite-errors.ts";
import type { Warehouse as OpenWarehouse } from "../warehouse/warehouse.ts";
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

export { CalltallyError, type ExitCode } from "../base/errors.ts";
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

/** Only the public columns; others may change between versions. */
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
  const warehouse = openNamed(file);
  // A warehouse that can only be read as a copy in memory has one connection.
  const oneAtOnce = pLimit(1);
  return {
    path: warehouse.path,
    rollup: (question) =>
      oneAtOnce(async () => {
        assertOpen(warehouse);
        try {
          return await readRollup(warehouse, question);
        } catch (error) {
          assertOpen(warehouse); // it may have been disposed of meanwhile
          throw named(file, error);
        }
      }),
    readStanding: () => {
      assertOpen(warehouse);
      try {
        return warehouse.sqlite.transaction(() => readPublicStanding(warehouse))();
      } catch (error) {
        throw named(file, error);
      }
    },
    [Symbol.dispose]: () => warehouse[Symbol.dispose](),
  };
}

function openNamed(file: string): OpenWarehouse {
  try {
    return openWarehouseReader(file);
  } catch (error) {
    throw named(file, error);
  }
}

function readPublicStanding(warehouse: OpenWarehouse): Standing {
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

async function readRollup(warehouse: OpenWarehouse, question: RollupQuestion): Promise<Rollup> {
  const { request, timezone } = parseQuestion(question);
  const source = readOnlySource(warehouse);
  const output = memoryOutput();
  check(request, { source: source.can, output: output.can }, { spell });
  const ask = resolve(request, { nowMs: Date.now(), timezone, spell });
  try {
    await produce(ask, source, output);
  } catch (error) {
    throw error instanceof UnmatchedError
      ? new UsageError(error.message, { hint: error.unmatched[0]?.advice })
      : error;
  }
  const [{ columns, rows } = { columns: [], rows: [] }] = output.tables;
  const names = columns.map(({ name }) => name);
  return {
    columns: columns as readonly RollupColumn[], // only workbooks have date columns
    rows: rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index] ?? null]))),
  };
}

/** How a question spells options: the days are not below a range, and none are counted back. */
const spell = (option: string) => (option === "range.last" ? "" : option.replace("range.", ""));

function assertOpen({ path, sqlite }: OpenWarehouse): void {
  if (!sqlite.open) throw new UsageError(`Cannot read ${path}: it is closed`, { hint: "Open it again." });
}

/** Returns an error of SQLite or of the file system as one that names the warehouse. */
function named(path: string, error: unknown): unknown {
  return toFileError(error) ?? nameFile(error, path);
}
