import { join } from "node:path";
import { readAttributionRules } from "../config/attribution-settings.ts";
import type { Settings } from "../config/load-settings.ts";
import { warehouseSource } from "../produce/warehouse-source.ts";
import { startSandbox } from "../sandbox/server.ts";
import { runSync } from "../sync/run.ts";
import type { SyncRun } from "../warehouse/runs/runs.ts";
import { DEMO_CALLS } from "./demo-calls.ts";
import { assertReplaceable, type DemoFiles, writeDemoFiles } from "./demo-files.ts";
import { makeDemoWarehouse } from "./demo-warehouse.ts";

export interface Demo extends DemoFiles {
  run: SyncRun;
}

/**
 * Syncs made-up calls from a local server into a folder, and writes rollups and a page of them there.
 *
 * @throws UsageError if the folder has files that no demo made
 */
export async function makeDemo(folder: string, settings: Settings, signal: AbortSignal): Promise<Demo> {
  const { timezone, lookbackHours } = settings;
  const database = join(folder, "calltally.db");
  assertReplaceable(folder);
  await using sandbox = await startSandbox({ calls: DEMO_CALLS });
  const api = { baseUrl: new URL(sandbox.url), token: sandbox.token };
  makeDemoWarehouse(database, api.baseUrl);
  const rules = readAttributionRules(settings);
  const run = await runSync({ ...settings, rules, database, api, acceptGone: 0, signal });
  const source = warehouseSource({ database, lookbackHours, rules });
  return { run, ...(await writeDemoFiles(folder, source, { timezone, signal })) };
}
