import { join } from "node:path";
import { Command } from "@commander-js/extra-typings";
import type { ExitCode } from "../errors.ts";
import { exportToFolder } from "../export/export.ts";
import { removeFile } from "../folder.ts";
import { DEFAULT_DIMENSIONS } from "../rollup/dimensions.ts";
import { iterateRollup, prepareRollups, type RollupRow, rollupColumns } from "../rollup/read.ts";
import type { RollupQuery } from "../rollup/sql.ts";
import { exitCodeOf, runSync } from "../sync/run.ts";
import { openExistingWarehouse } from "../warehouse/open.ts";
import { readTallySettings } from "../warehouse/tally-settings.ts";
import { type Context, settingsOf } from "./context.ts";
import { describeExport } from "./export-run.ts";
import { ellipsize, formatCount, formatTable } from "./format.ts";
import { summarizeRun } from "./summary.ts";

const DEMO_CALLS = 5000;
const ROWS_SHOWN = 8;
/** The columns that fit a terminal of 80. */
const SHOWN = {
  calls: "calls",
  answered_calls: "answered",
  answer_rate: "rate",
  unique_callers: "callers",
  qualified_calls: "qualified",
  average_duration_seconds: "avg s",
};

export function demoCommand(context: Context, exit: (code: ExitCode) => void) {
  return new Command("demo")
    .description(
      `Starts a local server with ${formatCount(DEMO_CALLS)} made-up calls, syncs it, and writes the three rollups under data/demo/.`,
    )
    .addHelpText("after", "\nExample:\n  $ calltally demo")
    .action(async () => {
      const folder = join(context.folder, "data", "demo");
      const database = join(folder, "calltally.db");
      for (const suffix of ["", "-wal", "-shm"]) removeFile(database + suffix);
      const { startSandbox } = await import("../sandbox/server.ts");
      await using sandbox = await startSandbox({ calls: DEMO_CALLS });
      const api = { baseUrl: new URL(sandbox.url), token: sandbox.token };
      const settings = settingsOf(context);
      const run = await runSync({
        ...settings,
        database,
        api,
        acceptGone: 0,
        signal: context.signal,
      });
      context.tell(summarizeRun(run));

      const tally = readTallySettings(settings);
      const { timezone, lookbackHours } = settings;
      const result = await exportToFolder({
        database,
        folder,
        timezone,
        lookbackHours,
        tally,
        targets: DEFAULT_DIMENSIONS.map((dimension) => ({ kind: "rollup", dimensions: [dimension] })),
        signal: context.signal,
      });
      using warehouse = openExistingWarehouse(database);
      prepareRollups(warehouse.sqlite);
      for (const dimension of DEFAULT_DIMENSIONS) {
        const query = { dimensions: [dimension], rules: tally.rules };
        const rows = iterateRollup(warehouse.sqlite, query).take(ROWS_SHOWN).toArray();
        context.tell(`\n${describeRollup(query, rows)}`);
      }
      context.tell(`\n${describeExport(result, context.folder)}`);
      exit(exitCodeOf(run));
    });
}

function describeRollup(query: RollupQuery, rows: readonly RollupRow[]): string {
  const columns = rollupColumns(query);
  const shown = Object.entries(SHOWN).map(([name, title]) => {
    const index = columns.findIndex((column) => column.name === name);
    return { title, index, decimals: columns[index]?.decimals };
  });
  return formatTable(
    [...query.dimensions, ...shown.map(({ title }) => title)],
    rows.map((row) => [
      ellipsize(String(row[0]), 26),
      ...shown.map(({ index, decimals }) => formatFigure(row[index], decimals)),
    ]),
  );
}

function formatFigure(value: RollupRow[number] | undefined, decimals: number | undefined): string {
  if (typeof value !== "number") return value ?? "";
  return decimals === undefined ? formatCount(value) : value.toFixed(decimals);
}
