import { hash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../base/errors.ts";
import { realFile, removeFile } from "../../base/folder.ts";
import { readManifest } from "../../export/output/read-manifest.ts";
import { acquireLock } from "../../warehouse/file/acquire-lock.ts";
import { openReader, openWarehouse } from "../../warehouse/file/open.ts";
import { markDemo, readOrigin } from "../../warehouse/origin.ts";

/** Makes an empty warehouse for made-up calls, in place of the last one. */
export function makeWarehouse(database: string, baseUrl: URL): void {
  const file = realFile(database);
  if (existsSync(file)) {
    if (!isDemo(file)) throw notOurs(file);
    using _lock = acquireLock(file);
    for (const suffix of ["", "-wal", "-shm"]) removeFile(file + suffix);
  }
  using warehouse = openWarehouse(file);
  markDemo(warehouse, baseUrl);
}

function isDemo(file: string): boolean {
  using warehouse = openReader(file);
  return readOrigin(warehouse).is_demo;
}

/** @throws UsageError if a file would be replaced that `calltally demo` did not make */
export function assertOurFiles(folder: string, names: readonly string[]): void {
  const manifest = readManifest(folder);
  const isOurs = manifest?.origin.made_by_demo ?? false;
  if (manifest !== undefined && !isOurs) throw notOurs(join(folder, "manifest.json"));
  for (const name of names) {
    const file = join(folder, name);
    if (!existsSync(file)) continue;
    const record = isOurs ? manifest?.files.find((written) => written.file === name) : undefined;
    if (record?.sha256 !== hash("sha256", readFileSync(file))) throw notOurs(file);
  }
}

function notOurs(file: string): UsageError {
  return new UsageError(`Cannot run the demo: ${file} exists, and calltally demo did not write it`, {
    hint: "It was not changed. Move or remove it, or run the demo in another folder.",
  });
}
