import { statSync } from "node:fs";
import { resolve } from "node:path";
import { describeError, EXIT } from "../../base/errors.ts";
import { toCalltallyError } from "../../base/known-error.ts";
import { formatQuantity } from "../../base/text/quantity-text.ts";
import type { Settings } from "../../config/load-settings.ts";
import { readCallCount, readLatestTranscripts } from "../../warehouse/calls/call-table.ts";
import { clearDamage, DamagedError } from "../../warehouse/file/damage.ts";
import { findDamage } from "../../warehouse/file/integrity.ts";
import { assertMayBegin, findLock, missingError } from "../../warehouse/file/missing.ts";
import { openReader } from "../../warehouse/file/open.ts";
import { nameDamage, sqliteErrorOf } from "../../warehouse/file/sqlite-errors.ts";
import { readPause } from "../../warehouse/runs/runs.ts";
import type { Reader } from "../../warehouse/warehouse.ts";
import { verifyWarehouse } from "../verify/verify-warehouse.ts";
import { type Check, fail, needingSync, ok, type SyncedCheck, warn } from "./check.ts";
import { checkDispositions, checkKept, checkOrigin, checkUnit, describeLastCheck } from "./check-contents.ts";
import type { DurationSample } from "./check-duration.ts";
import { checkRuns } from "./check-runs.ts";

/** Calls whose transcripts are compared with their durations. */
const SAMPLES = 500;

const REATTRIBUTE = "Run `CALLTALLY_CHECK_EVERY_HOURS=0 calltally sync`, which recomputes all facts.";
const RESYNC = "Run `calltally sync`, which makes views again; drop triggers that calltally did not make.";
const RESTORE = "Run `calltally restore` with a backup; or move the file away and sync again.";

interface WarehouseOptions {
  /** The working folder. */
  folder: string;
  /** Check the whole file, and recompute the hash of every row. */
  deep: boolean;
  nowMs: number;
  signal: AbortSignal;
}

/** Checks that the warehouse is usable and belongs to the settings, without changing it. */
export async function checkWarehouse(settings: Settings, options: WarehouseOptions) {
  const file = resolve(options.folder, settings.database);
  const checks: (Check | SyncedCheck)[] = [];
  /** The latest calls that have a transcript. */
  let samples: DurationSample[] = [];
  /** When the pause that the service asked for ends, ISO 8601 UTC. */
  let notBefore: string | undefined;
  try {
    if (statSync(file, { throwIfNoEntry: false }) === undefined) {
      if (findLock(file) !== undefined) throw missingError(file);
      assertMayBegin(file);
      checks.push(needingSync(warn("warehouse", `there is none at ${file}`, "Run `calltally sync`.")));
      return { checks, samples, notBefore };
    }
    using warehouse = openReader(file, { isDamageKnown: options.deep });
    for await (const check of checkOpened(warehouse, settings, options)) checks.push(check);
    notBefore = readPause(warehouse, options.nowMs);
    samples = readLatestTranscripts(warehouse, SAMPLES);
  } catch (error) {
    if (options.signal.aborted) throw error;
    const known = toCalltallyError(nameDamage(error, file));
    const message = describeError(sqliteErrorOf(known) ?? known);
    checks.push(fail(EXIT.storage, "warehouse", message, known.hint));
  }
  return { checks, samples, notBefore };
}

async function* checkOpened(
  warehouse: Reader,
  settings: Settings,
  { deep, nowMs, signal }: WarehouseOptions,
): AsyncGenerator<Check | SyncedCheck> {
  const damage = deep ? findDamage(warehouse) : undefined;
  if (damage !== undefined) throw new DamagedError(warehouse.path, damage);
  yield ok("warehouse", `${formatQuantity(readCallCount(warehouse), "call")} in ${warehouse.path}`);
  yield ok("file", deep ? "undamaged, fully checked just now" : describeLastCheck(warehouse, nowMs));
  if (deep) {
    let isSound = true;
    for await (const { name, holds, message } of verifyWarehouse(warehouse, { signal })) {
      isSound &&= holds || name !== "contents";
      const hint = name === "facts" ? REATTRIBUTE : name === "views" ? RESYNC : RESTORE;
      yield holds ? ok(name, message) : fail(EXIT.storage, name, message, hint);
    }
    if (isSound) clearDamage(warehouse.path);
  }
  yield checkKept(warehouse, settings);
  yield checkOrigin(warehouse, settings);
  yield* checkUnit(warehouse);
  yield* checkDispositions(warehouse, settings);
  yield* checkRuns(warehouse, settings, nowMs);
}
