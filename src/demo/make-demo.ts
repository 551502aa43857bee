import { hash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../base/errors.ts";
import { realFile, removeFile } from "../base/folder.ts";
import { readAttributionRules } from "../config/attribution-settings.ts";
import type { Settings } from "../config/load-settings.ts";
import { folderOutput } from "../export/output/folder.ts";
import { memoryOutput, type ReadTable } from "../export/output/memory.ts";
import type { Output } from "../export/output/output.ts";
import { readManifest } from "../export/output/read-manifest.ts";
import { type Made, produce } from "../produce/produce.ts";
import { warehouseSource } from "../produce/warehouse-source.ts";
import type { ExportRequest } from "../request/export-request.ts";
import { PAGE_FILE, PAGE_FOLDER } from "../request/option-values.ts";
import { resolve } from "../request/resolve.ts";
import type { Dimension } from "../rollup/dimensions.ts";
import { startSandbox } from "../sandbox/server.ts";
import { runSync } from "../sync/run.ts";
import { tryAcquireLock } from "../warehouse/lock.ts";
import { lockedError } from "../warehouse/locked-error.ts";
import { openWarehouse, openWarehouseReader } from "../warehouse/open.ts";
import { markDemo, readOrigin } from "../warehouse/origin.ts";
import type { SyncRun } from "../warehouse/runs/runs.ts";

/** Made-up calls of the demo. */
export const DEMO_CALLS = 5000;
const DIMENSIONS: Dimension[] = ["channel", "campaign"];

export interface Demo {
  run: SyncRun;
  /** The rollups: as files, and as tables to show. */
  made: Made;
  tables: readonly ReadTable[];
  /** Path of the page of charts. */
  page: string;
}

/**
 * Syncs made-up calls from a local server into a folder, and writes rollups and a page of them there.
 *
 * @throws UsageError if the folder has files that no demo made
 */
export async function makeDemo(folder: string, settings: Settings, signal: AbortSignal): Promise<Demo> {
  const { timezone, lookbackHours } = settings;
  const database = join(folder, "calltally.db");
  const pageFolder = join(folder, PAGE_FOLDER);
  assertOurFiles(
    folder,
    DIMENSIONS.map((dimension) => `${dimension}.csv`),
  );
  assertOurFiles(pageFolder, [PAGE_FILE]);
  await using sandbox = await startSandbox({ calls: DEMO_CALLS });
  const api = { baseUrl: new URL(sandbox.url), token: sandbox.token };
  makeWarehouse(database, api.baseUrl);
  const rules = readAttributionRules(settings);
  const run = await runSync({ ...settings, rules, database, api, acceptGone: 0, signal });
  const source = warehouseSource({ database, lookbackHours, rules });
  const make = async (request: ExportRequest, output: Output) =>
    await produce(resolve(request, { nowMs: Date.now(), timezone }), source, output, { signal });
  const request = { contents: DIMENSIONS };
  const made = await make(request, folderOutput(folder, { replace: true }));
  const page = await make({ format: "html" }, folderOutput(pageFolder, { replace: true }));
  const shown = memoryOutput();
  await make(request, shown);
  return { run, made, tables: shown.tables, page: join(page.folder ?? "", PAGE_FILE) };
}

/** Makes an empty warehouse for made-up calls, in place of the last one. */
function makeWarehouse(database: string, baseUrl: URL): void {
  const file = realFile(database);
  if (existsSync(file)) {
    if (!isDemo(file)) throw notOurs(file);
    using lock = tryAcquireLock(file);
    if (lock === undefined) throw lockedError(file);
    for (const suffix of ["", "-wal", "-shm"]) removeFile(file + suffix);
  }
  using warehouse = openWarehouse(file);
  markDemo(warehouse, baseUrl);
}

function isDemo(file: string): boolean {
  using warehouse = openWarehouseReader(file);
  return readOrigin(warehouse).is_demo;
}

/** @throws UsageError if a file that would be replaced exists, and is not as `calltally demo` made it */
function assertOurFiles(folder: string, names: readonly string[]): void {
  const manifest = readManifest(folder);
  const isOurs = manifest?.origin.made_by_demo ?? false;
  if (manifest !== undefined && !isOurs) throw notOurs(join(folder, "manifest.json"));
  for (const name of names) {
    const file = join(folder, name);
    if (!existsSync(file)) continue;
    const made = isOurs ? manifest?.files.find((written) => written.file === name) : undefined;
    if (made?.sha256 !== hash("sha256", readFileSync(file))) throw notOurs(file);
  }
}

function notOurs(file: string): UsageError {
  return new UsageError(`Cannot run the demo: ${file} is there, and calltally demo did not make it so`, {
    hint: "It was left as it is. Move or remove it, or run the demo in another folder.",
  });
}
