import { hash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { Command } from "@commander-js/extra-typings";
import { readAttributionRules } from "../config/attribution-settings.ts";
import { type ExitCode, UsageError } from "../errors.ts";
import { readManifest } from "../export/folder-owner.ts";
import { exportToFolder } from "../export/write-export.ts";
import { realFile, removeFile } from "../folder.ts";
import { formatAnswerRate } from "../report/figure-text.ts";
import { type Figures, nameFigures } from "../report/report-figures.ts";
import type { Dimension } from "../rollup/dimensions.ts";
import { RollupSession } from "../rollup/session.ts";
import { lockedError } from "../sync/ledger.ts";
import { exitCodeOf, runSync } from "../sync/run.ts";
import { tryAcquireLock } from "../warehouse/lock.ts";
import { isCurrent } from "../warehouse/migrate.ts";
import { openExistingWarehouse, openWarehouse, openWarehouseReader } from "../warehouse/open.ts";
import { markDemo, readOrigin } from "../warehouse/origin.ts";
import { type Context, settingsOf } from "./context.ts";
import { describeExport } from "./export-run.ts";
import { DEFAULT_STRETCH, REPORT_FILE, REPORT_FOLDER } from "./report-defaults.ts";
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
      assertOurFiles(join(folder, REPORT_FOLDER), [REPORT_FILE]);
      const { startSandbox } = await import("../sandbox/server.ts");
      const { reportScope, REPORT_TARGET } = await import("./report-run.ts");
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
      const options = { database, timezone, lookbackHours, rules, signal: context.signal, replace: true };
      const result = await exportToFolder({
        ...options,
        folder,
        targets: DIMENSIONS.map((dimension) => ({ kind: "rollup", dimensions: [dimension] })),
      });
      const report = await exportToFolder({
        ...options,
        ...reportScope({ last: DEFAULT_STRETCH }, timezone),
        folder: join(folder, REPORT_FOLDER),
        targets: [REPORT_TARGET],
      });
      using warehouse = openExistingWarehouse(database);
      using session = new RollupSession(warehouse.sqlite, { rules });
      for (const dimension of DIMENSIONS) {
        const rows = nameFigures(session.rollup({ dimensions: [dimension] })).take(ROWS_SHOWN);
        context.tell(`\n${describeRollup(dimension, rows.toArray())}`);
      }
      context.tell(`\n${describeExport(result, context.folder)}`);
      const page = relative(context.folder, join(report.folder, REPORT_FILE));
      context.tell(`\nOpen ${page} in a browser for charts of four weeks.`);
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

function describeRollup(dimension: Dimension, rows: readonly Figures[]): string {
  return formatTable(
    [dimension, ...Object.keys(SHOWN)],
    rows.map((figures) => [
      ellipsize(String(figures[dimension]), 26),
      ...Object.values(SHOWN).map((format) => format(figures) ?? ""),
    ]),
  );
}
