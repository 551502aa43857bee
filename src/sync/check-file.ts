import { ageOf, type Clock } from "../base/clock.ts";
import { findDamagedCalls } from "../warehouse/attribution/check-calls.ts";
import { describeDamaged } from "../warehouse/attribution/named-calls.ts";
import { clearDamage, DamagedError, readDamage } from "../warehouse/file/damage.ts";
import { findDamage } from "../warehouse/file/integrity.ts";
import { readLastFileCheck, readRuns } from "../warehouse/runs/runs.ts";
import type { Reader } from "../warehouse/warehouse.ts";

const HOUR_MS = 3_600_000;
/** Larger files are checked during the sync: this one takes a second from memory, and some from a disk. */
const LARGE_BYTES = 1_000_000_000;

/** When a file was checked, ISO 8601 UTC; `later` if a check is due that need not delay the sync; undefined if none is due. */
export type FileCheck = string | "later" | undefined;

/**
 * Checks the file for damage before a sync if the last run did not end cleanly, or if the last check is too old and the file
 * is not large. A file with a note of damage is checked thoroughly, and the note removed if it is sound.
 *
 * @throws DamagedError if the file is damaged
 */
export async function checkFile(
  warehouse: Reader,
  { clock, checkEveryHours, signal, largeBytes = LARGE_BYTES }: CheckOptions,
): Promise<FileCheck> {
  const { path } = warehouse;
  if (readDamage(path) !== undefined) {
    const damage = await findAnyDamage(warehouse, signal);
    if (damage !== undefined) throw new DamagedError(path, damage);
    clearDamage(path);
  } else {
    const [last] = readRuns(warehouse, 1);
    const isClean = last?.status === "done" || last?.status === "interrupted";
    const isOld = ageOf(readLastFileCheck(warehouse), clock.now()) >= checkEveryHours * HOUR_MS;
    if (isClean && !isOld) return undefined;
    if (isClean && sizeOf(warehouse) >= largeBytes) return "later";
    const damage = findDamage(warehouse, { thorough: false });
    if (damage !== undefined) throw new DamagedError(path, damage);
  }
  return new Date(clock.now()).toISOString();
}

export interface FileCheckRules {
  /** Hours after which the next run checks the whole file for damage again. */
  checkEveryHours: number;
  /** Files from this size on are checked while the sync goes on, not before. @default 1 GB */
  largeBytes?: number | undefined;
}

interface CheckOptions extends FileCheckRules {
  clock: Clock;
  signal?: AbortSignal | undefined;
}

function sizeOf({ sqlite }: Reader): number {
  const read = (name: string) => Number(sqlite.pragma(name, { simple: true }));
  return read("page_count") * read("page_size");
}

/** Finds what SQLite's checks do, and calls whose content is not what was read from the service. */
async function findAnyDamage(
  warehouse: Reader,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const damage = findDamage(warehouse);
  if (damage !== undefined) return damage;
  const calls = await findDamagedCalls(warehouse, signal);
  return calls.length === 0 ? undefined : describeDamaged(calls);
}
