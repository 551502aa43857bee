import { ageOf, type Clock } from "../base/clock.ts";
import { findDamage } from "../warehouse/integrity.ts";
import { readLastFileCheck, readRuns } from "../warehouse/runs/runs.ts";
import { DamagedError } from "../warehouse/sqlite-errors.ts";
import type { Reader } from "../warehouse/warehouse.ts";

const HOUR_MS = 3_600_000;

/**
 * Checks the file for damage if the last run did not end cleanly or the last check is too old. This takes as long as reading
 * the file once. Returns when it was done; undefined if it was not due.
 *
 * @throws CalltallyError (exit 7) if the file is damaged
 */
export function checkFile(
  warehouse: Reader,
  { clock, checkEveryHours }: { clock: Clock; checkEveryHours: number },
): string | undefined {
  const [last] = readRuns(warehouse, 1);
  const isClean = last?.status === "done" || last?.status === "interrupted";
  const checkedAt = readLastFileCheck(warehouse);
  if (isClean && ageOf(checkedAt, clock.now()) < checkEveryHours * HOUR_MS) return undefined;
  const { path } = warehouse;
  const found = findDamage(warehouse, { thorough: false });
  if (found === undefined) return new Date(clock.now()).toISOString();
  const hint = "It was not changed. Restore a backup, or move it away and sync again.";
  throw new DamagedError(path, found, hint);
}
