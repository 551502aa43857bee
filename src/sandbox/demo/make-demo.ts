import { join } from "node:path";
import { readAttributionRules } from "../../config/attribution-settings.ts";
import type { Settings } from "../../config/load-settings.ts";
import type { ExportRequest } from "../../config/request/export-request.ts";
import { resolve } from "../../config/request/resolve.ts";
import { folderOutput } from "../../export/output/folder.ts";
import { memoryOutput } from "../../export/output/memory.ts";
import type { Output } from "../../export/output/output.ts";
import { DEFAULT_DIMENSIONS, type Dimension } from "../../figures/dimensions.ts";
import { produce } from "../../reports/produce/produce.ts";
import { warehouseSource } from "../../reports/produce/warehouse-source.ts";
import { runSync } from "../../sync/run.ts";
import { startSandbox } from "../server.ts";
import { assertOurFiles, makeWarehouse } from "./demo-folder.ts";
import { IMPORTS } from "./imports.ts";
import { PAGES } from "./pages.ts";

export const DEMO_CALLS = 5000;
/** Where the calls peak in working hours. */
const TIMEZONE = "America/Chicago";
const SHOWN = ["channel", "campaign"] satisfies Dimension[];

export type Demo = Awaited<ReturnType<typeof makeDemo>>;

/**
 * Syncs made-up calls from a local server into a folder, imports made-up spend and jobs, and writes the default files and its pages.
 * @throws UsageError if the folder has files that no demo made
 */
export async function makeDemo(folder: string, settings: Settings, signal: AbortSignal) {
  const { lookbackHours } = settings;
  const database = join(folder, "calltally.db");
  assertOurFiles(
    folder,
    DEFAULT_DIMENSIONS.map((dimension) => `${dimension}.csv`),
  );
  for (const page of PAGES) assertOurFiles(join(folder, page.folder), [page.file]);
  await using sandbox = await startSandbox({ calls: DEMO_CALLS });
  const api = { baseUrl: new URL(sandbox.url), token: sandbox.token };
  makeWarehouse(database, api.baseUrl);
  const rules = readAttributionRules(settings);
  const run = await runSync({
    ...settings,
    timezone: TIMEZONE,
    rules,
    database,
    api,
    acceptGone: 0,
    signal,
  });
  for (const importInto of IMPORTS) importInto({ database, timezone: TIMEZONE, sandbox });
  const source = warehouseSource({ database, lookbackHours, rules });
  const make = async (request: ExportRequest, output: Output) =>
    await produce(resolve(request, { nowMs: Date.now(), timezone: TIMEZONE }), source, output, { signal });
  const report = await make({}, folderOutput(folder, { replace: true }));
  for (const { format, folder: name } of PAGES)
    await make({ format }, folderOutput(join(folder, name), { replace: true }));
  const shown = memoryOutput();
  await make({ contents: SHOWN }, shown);
  /** The default files, other rollups to show, and the pages, each with its path and use. */
  return {
    run,
    report,
    tables: shown.tables,
    pages: PAGES.map((page) => ({ path: join(folder, page.folder, page.file), use: page.use })),
  };
}
