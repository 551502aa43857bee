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
import { RUN_CHECKS } from "./check-runs.ts";

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
    for await (const check of checkOpened({ warehouse, settings, ...options })) checks.push(check);
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

interface Opened extends WarehouseOptions {
  warehouse: Reader;
  settings: Settings;
}

type Checks = Iterable<Check | SyncedCheck> | AsyncIterable<Check | SyncedCheck>;

/** The checks of a warehouse that can be opened. */
const OPENED: readonly ((opened: Opened) => Checks)[] = [
  ({ warehouse }) => [
    ok("warehouse", `${formatQuantity(readCallCount(warehouse), "call")} in ${warehouse.path}`),
  ],
  ({ warehouse, deep, nowMs }) => [
    ok("file", deep ? "undamaged, fully checked just now" : describeLastCheck(warehouse, nowMs)),
  ],
  ({ deep, ...opened }) => (deep ? checkContents(opened) : []),
  ({ warehouse, settings }) => [checkKept(warehouse, settings)],
  ({ warehouse, settings }) => [checkOrigin(warehouse, settings)],
  ({ warehouse }) => checkUnit(warehouse),
  ({ warehouse, settings }) => checkDispositions(warehouse, settings),
  ...RUN_CHECKS.map(
    (check) =>
      ({ warehouse, settings, nowMs }: Opened) =>
        check(warehouse, settings, nowMs),
  ),
];

async function* checkOpened(opened: Opened): AsyncGenerator<Check | SyncedCheck> {
  const { warehouse, deep } = opened;
  const damage = deep ? findDamage(warehouse) : undefined;
  if (damage !== undefined) throw new DamagedError(warehouse.path, damage);
  for (const check of OPENED) yield* check(opened);
}

/** Recomputes the hash of every row. */
async function* checkContents({ warehouse, signal }: Pick<Opened, "warehouse" | "signal">) {
  let isSound = true;
  for await (const { name, holds, message } of verifyWarehouse(warehouse, { signal })) {
    isSound &&= holds || name !== "contents";
    const hint = name === "facts" ? REATTRIBUTE : name === "views" ? RESYNC : RESTORE;
    yield holds ? ok(name, message) : fail(EXIT.storage, name, message, hint);
  }
  if (isSound) clearDamage(warehouse.path);
}
