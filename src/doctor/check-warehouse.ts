import { statSync } from "node:fs";
import { resolve } from "node:path";
import { describeError, EXIT } from "../base/errors.ts";
import { toCalltallyError } from "../base/known-error.ts";
import { readLatestTranscripts } from "../warehouse/calls/call-table.ts";
import { openWarehouseReader } from "../warehouse/open.ts";
import { readPause } from "../warehouse/runs/runs.ts";
import { isDamage, sqliteErrorOf } from "../warehouse/sqlite-errors.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { type Check, fail, warn } from "./check.ts";
import { type ContentOptions, checkContents } from "./check-contents.ts";
import type { DurationSample } from "./check-duration.ts";
import { checkDamage, checkIntegrity, RESTORE } from "./check-integrity.ts";
import { checkRuns, type RunOptions } from "./check-runs.ts";

/** Calls whose transcripts are compared with their durations. */
const SAMPLES = 500;

export interface WarehouseOptions extends ContentOptions, RunOptions {
  folder: string;
  database: string;
  /** Check the whole file, and compute the hash of every row again. */
  deep: boolean;
  signal: AbortSignal;
}

/** What was found in a warehouse. */
export interface WarehouseFindings {
  checks: Check[];
  /** The latest calls that have a transcript. */
  samples: DurationSample[];
  /** When the pause ends that the service asked for, ISO 8601 UTC. */
  notBefore: string | undefined;
}

/** Checks a warehouse without changing it. */
export async function checkWarehouse(options: WarehouseOptions): Promise<WarehouseFindings> {
  const file = resolve(options.folder, options.database);
  const found: WarehouseFindings = { checks: [], samples: [], notBefore: undefined };
  try {
    if (statSync(file, { throwIfNoEntry: false }) === undefined) {
      found.checks.push(warn("warehouse", `there is none at ${file}`, "Run `calltally sync`."));
      return found;
    }
    using warehouse = openWarehouseReader(file);
    for await (const check of checkOpened(warehouse, options)) found.checks.push(check);
    found.notBefore = readPause(warehouse, options.nowMs);
    found.samples = readLatestTranscripts(warehouse, SAMPLES);
  } catch (error) {
    if (options.signal.aborted) throw error;
    found.checks.push(failedCheck(error));
  }
  return found;
}

async function* checkOpened(warehouse: Warehouse, options: WarehouseOptions): AsyncGenerator<Check> {
  const damage = options.deep ? checkDamage(warehouse) : undefined;
  if (damage !== undefined) return yield damage;
  yield* checkIntegrity(warehouse, options);
  yield* checkContents(warehouse, options);
  yield* checkRuns(warehouse, options);
}

function failedCheck(error: unknown): Check {
  const known = toCalltallyError(error);
  const cause = sqliteErrorOf(error);
  return fail(
    EXIT.storage,
    "warehouse",
    describeError(cause ?? known),
    isDamage(error) ? RESTORE : known.hint,
  );
}
