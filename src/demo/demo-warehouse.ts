import { existsSync } from "node:fs";
import { realFile, removeFile } from "../base/folder.ts";
import { tryAcquireLock } from "../warehouse/lock.ts";
import { lockedError } from "../warehouse/locked-error.ts";
import { openWarehouse, openWarehouseReader } from "../warehouse/open.ts";
import { markDemo, readOrigin } from "../warehouse/origin.ts";
import { notOurs } from "./demo-files.ts";

/**
 * Makes an empty warehouse for made-up calls, in place of the last one.
 *
 * @throws UsageError if the existing file was not made by `calltally demo`
 */
export function makeDemoWarehouse(database: string, baseUrl: URL): void {
  const file = realFile(database);
  if (existsSync(file)) {
    assertMadeByDemo(file);
    using lock = tryAcquireLock(file);
    if (lock === undefined) throw lockedError(file);
    for (const suffix of ["", "-wal", "-shm"]) removeFile(file + suffix);
  }
  using warehouse = openWarehouse(file);
  markDemo(warehouse, baseUrl);
}

function assertMadeByDemo(file: string): void {
  using warehouse = openWarehouseReader(file);
  if (readOrigin(warehouse).is_demo) return;
  throw notOurs(file);
}
