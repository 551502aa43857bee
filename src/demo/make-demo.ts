import { join } from "node:path";
import { readAttributionRules } from "../config/attribution-settings.ts";
import type { Settings } from "../config/load-settings.ts";
import { folderOutput } from "../export/output/folder.ts";
import { memoryOutput } from "../export/output/memory.ts";
import type { Output } from "../export/output/output.ts";
import { produce } from "../produce/produce.ts";
import { warehouseSource } from "../produce/warehouse-source.ts";
import type { ExportRequest } from "../request/export-request.ts";
import { PAGE_FILE, PAGE_FOLDER } from "../request/option-values.ts";
import { resolve } from "../request/resolve.ts";
import type { Dimension } from "../rollup/dimensions.ts";
import { startSandbox } from "../sandbox/server.ts";
import { runSync } from "../sync/run.ts";
import { assertOurFiles, makeWarehouse } from "./demo-folder.ts";

export const DEMO_CALLS = 5000;
const DIMENSIONS: Dimension[] = ["channel", "campaign"];

export type Demo = Awaited<ReturnType<typeof makeDemo>>;

/**
 * Syncs made-up calls from a local server into a folder, and writes rollups and a page.
 * @throws UsageError if the folder has files that no demo made
 */
export async function makeDemo(folder: string, settings: Settings, signal: AbortSignal) {
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
  /** The rollups, as files and as tables to show; and the path of the page of charts. */
  return { run, made, tables: shown.tables, page: join(page.folder ?? "", PAGE_FILE) };
}
