import { hash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { Command } from "@commander-js/extra-typings";
import { readAttributionRules } from "../config/attribution-settings.ts";
import { type ExitCode, UsageError } from "../errors.ts";
import { readManifest } from "../export/folder-owner.ts";
import { folderOutput } from "../export/output/folder.ts";
import { memoryOutput, type ReadTable } from "../export/output/memory.ts";
import type { Output } from "../export/output/output.ts";
import { realFile, removeFile } from "../folder.ts";
import { warehouseSource } from "../produce/warehouse-source.ts";
import { formatAnswerRate } from "../report/figure-text.ts";
import type { Figures } from "../report/report-figures.ts";
import { PAGE_FILE, PAGE_FOLDER } from "../request/choices.ts";
import type { ExportRequest } from "../request/export-request.ts";
import { resolve } from "../request/resolve.ts";
import type { Dimension } from "../rollup/dimensions.ts";
import { lockedError } from "../sync/ledger.ts";
import { exitCodeOf, runSync } from "../sync/run.ts";
import { tryAcquireLock } from "../warehouse/lock.ts";
import { isCurrent } from "../warehouse/migrate.ts";
import { openWarehouse, openWarehouseReader } from "../warehouse/open.ts";
import { markDemo, readOrigin } from "../warehouse/origin.ts";
import { type Context, settingsOf } from "./context.ts";
import { describeMade } from "./made-text.ts";
import { summarizeRun } from "./summary.ts";
import { ellipsize, formatCount, formatTable } from "./terminal-text.ts";

const DEMO_CALLS = 5000;
const DIMENSIONS = ["channel", "campaign"] as const satisfies Dimension[];
const CSV_FILES = DIMENSIONS.map((dimension) => `${dimension}.csv`);
const ROWS_SHOWN = 8;
/** The columns that fit a terminal of 80. */
const SHOWN: Readonly<Record<string, (figures: Figures) => string | null>> = {
  calls: ({ calls }) => formatCount(Number(calls)),
  answered: ({ answered_calls }) => formatCount(Number(answered_calls)),
  rate: (figures) => formatAnswerRate(figures),
  callers: ({ unique_callers }) => formatCount(Number(unique_callers)),
  qualified: ({ qualified_calls }) => formatCount(Number(qualified_calls)),
  "avg s": ({ average_duration_seconds: seconds }) => (seconds === null ? null : Number(seconds).toFixed(1)),
};

export function demoCommand(context: Context, exit: (code: ExitCode) => void) {
  return new Command("demo")
    .description(
      `Starts a local server with ${formatCount(DEMO_CALLS)} made-up calls, syncs from it, and writes calls by channel and by campaign, and a page of charts, to data/demo/.`,
    )
    .addHelpText("after", "\nExample:\n  $ calltally demo")
    .action(async () => {
      const folder = join(context.folder, "data", "demo");
      const database = join(folder, "calltally.db");
      const settings = settingsOf(context);
      assertOurFiles(folder, CSV_FILES);
      assertOurFiles(join(folder, PAGE_FOLDER), [PAGE_FILE]);
      const { startSandbox } = await import("../sandbox/server.ts");
      const { produce } = await import("../produce/produce.ts");
      await using sandbox = await startSandbox({ calls: DEMO_CALLS });
      const api = { baseUrl: new URL(sandbox.url), token: sandbox.token };
      makeDemoWarehouse(database, api.baseUrl);
      const rules = readAttributionRules(settings);
      const run = await runSync({
        ...settings,
        rules,
        database,
        api,
        acceptGone: 0,
        signal: context.signal,
      });
      context.tell(summarizeRun(run));

      const { timezone, lookbackHours } = settings;
      const source = warehouseSource({ database, lookbackHours, rules });
      const make = async (request: ExportRequest, output: Output) =>
        await produce(resolve(request, { nowMs: Date.now(), timezone }), source, output, {
          signal: context.signal,
        });
      const request = { contents: [...DIMENSIONS] };
      const made = await make(request, folderOutput(folder, { replace: true }));
      const page = await make({ format: "html" }, folderOutput(join(folder, PAGE_FOLDER), { replace: true }));
      const shown = memoryOutput();
      await make(request, shown);
      for (const table of shown.tables) context.tell(`\n${describeRollup(table)}`);
      context.tell(`\n${describeMade(made, context.folder)}`);
      const path = relative(context.folder, join(page.folder ?? "", PAGE_FILE));
      context.tell(`\nOpen ${path} in a browser for charts of four weeks.`);
      exit(exitCodeOf(run));
    });
}

/**
 * Makes an empty warehouse for made-up calls, in place of the last one.
 *
 * @throws UsageError where the one that is there was not made by `calltally demo`
 */
function makeDemoWarehouse(database: string, baseUrl: URL): void {
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
  if (isCurrent(warehouse) && readOrigin(warehouse).is_demo) return;
  throw notOurs(file);
}

/** @throws UsageError where one of the files that are to be written is there, and not as `calltally demo` made it */
function assertOurFiles(folder: string, names: readonly string[]): void {
  const manifest = readManifest(folder);
  const isOurs = manifest?.origin?.made_by_demo ?? false;
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

function describeRollup({ name, columns, rows }: ReadTable): string {
  const shown = rows
    .slice(0, ROWS_SHOWN)
    .map(
      (row): Figures => Object.fromEntries(columns.map((column, index) => [column.name, row[index] ?? null])),
    );
  return formatTable(
    [name, ...Object.keys(SHOWN)],
    shown.map((figures) => [
      ellipsize(String(figures[name]), 26),
      ...Object.values(SHOWN).map((format) => format(figures) ?? ""),
    ]),
  );
}
