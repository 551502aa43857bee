import { parseDate } from "../calendar/dates.ts";
import { readLayers } from "../config/load-settings.ts";
import { parseTimeZone } from "../config/time-zone.ts";
import { describeError, UsageError } from "../errors.ts";
import { startFigures } from "../export/figure-job.ts";
import { rollupTable } from "../export/rollups.ts";
import { DIMENSIONS } from "../rollup/dimensions.ts";
import { RollupSession } from "../rollup/session.ts";
import { runSync } from "../sync/run.ts";
import { toSyncOptions } from "../sync/sync-options.ts";
import { readBasis } from "../warehouse/basis.ts";
import { prepareCallerName } from "../warehouse/caller-hash.ts";
import { assertCurrent } from "../warehouse/migrate.ts";
import { type Warehouse as OpenWarehouse, openWarehouseReader } from "../warehouse/open.ts";
import { readRulesInForce } from "../warehouse/rules.ts";
import { hasSpend } from "../warehouse/spend-table.ts";
import { nameFile } from "../warehouse/sqlite-errors.ts";
import { readStanding } from "../warehouse/standing.ts";
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
 * Reads calls from the service into a warehouse, as `calltally sync` does, and says how complete the pass was.
 *
 * @returns the run as it stands in the ledger; look at its verdict
 * @throws CalltallyError; the pages read before are kept
 * @see docs/completeness.md
 */
export async function syncWarehouse(options: SyncOptions): Promise<SyncRun> {
  const { database, baseUrl, token, orgUnitId, mode, signal, onProgress, settings: others = {} } = options;
  const values = {
    ...others,
    CALLTALLY_DATABASE: database,
    CALLTALLY_BASE_URL: baseUrl,
    CALLTALLY_TOKEN: token,
    ...(orgUnitId !== undefined && { CALLTALLY_ORG_UNIT_ID: String(orgUnitId) }),
  };
  const settings = readLayers([{ origin: "environment", values }]);
  const run = await runSync({ ...toSyncOptions(settings), force: mode, signal, onProgress });
  return run as SyncRun; // it has ended, so nothing of it is missing
}

/**
 * Opens an existing warehouse to read from it; it may be synced meanwhile.
 *
 * @throws CalltallyError (exit 7) where there is none, or none of this version's schema, which a sync migrates
 */
export function openWarehouse(path: string): Warehouse {
  const warehouse = openWarehouseReader(path);
  try {
    assertCurrent(warehouse);
  } catch (error) {
    warehouse[Symbol.dispose]();
    throw error;
  }
  return {
    path: warehouse.path,
    rollup: (question) => named(warehouse, () => readRollup(warehouse, question)),
    readStanding: () => named(warehouse, () => readWhole(warehouse)),
    [Symbol.dispose]: () => warehouse[Symbol.dispose](),
  };
}

function readWhole(warehouse: OpenWarehouse): Standing {
  const { calls, total, newest_call, verified, rejected } = readBasis(warehouse);
  return {
    run: readStanding(warehouse).run as Standing["run"],
    verified,
    calls,
    total,
    newest_call,
    rejected,
  };
}

function readRollup(warehouse: OpenWarehouse, question: RollupQuestion): Rollup {
  const { by, filter = {}, grain, compare, top, fill = false, spend = false, total = false } = question;
  const unknown = by.find((name) => !DIMENSIONS.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`by: there is no dimension ${unknown}`, { hint: DIMENSIONS.join(", ") });
  const timezone = parsed("timezone", question.timezone ?? "UTC", parseTimeZone);
  const range = {
    ...(question.from !== undefined && { from: parsed("from", question.from, parseDate) }),
    ...(question.to !== undefined && { to: parsed("to", question.to, parseDate) }),
  };
  using session = new RollupSession(warehouse.sqlite, {
    rules: () => readRulesInForce(warehouse).rules,
    filter,
    nameCaller: prepareCallerName(warehouse),
  });
  const [unmatched] = session.findUnmatched(filter);
  if (unmatched !== undefined) {
    const { filter: name, text, meant } = unmatched;
    throw new UsageError(
      `filter.${name}: no call has ${text}`,
      meant === undefined ? {} : { hint: `Did you mean ${meant}?` },
    );
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

function parsed(name: string, text: string, parse: (text: string) => string): string {
  try {
    return parse(text);
  } catch (error) {
    throw new UsageError(`${name}: ${describeError(error)}`, { cause: error });
  }
}

/** Makes errors of SQLite's name the warehouse. */
function named<T>({ path }: OpenWarehouse, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw nameFile(error, path);
  }
}
