import { join } from "node:path";
import { Command } from "@commander-js/extra-typings";
import { readAttributionRules } from "../config/attribution-settings.ts";
import type { ExitCode } from "../errors.ts";
import { exportToFolder } from "../export/write-export.ts";
import { removeFile } from "../folder.ts";
import { DEFAULT_DIMENSIONS, type Dimension } from "../rollup/dimensions.ts";
import type { RollupColumn } from "../rollup/rollup-query.ts";
import { RollupSession, type Row } from "../rollup/session.ts";
import { exitCodeOf, runSync } from "../sync/run.ts";
import { openExistingWarehouse } from "../warehouse/open.ts";
import { type Context, settingsOf } from "./context.ts";
import { describeExport } from "./export-run.ts";
import { summarizeRun } from "./summary.ts";
import { ellipsize, formatCount, formatTable } from "./terminal-text.ts";

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
      `Starts a local server with ${formatCount(DEMO_CALLS)} made-up calls, syncs from it, and writes the three rollups to data/demo/.`,
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
      const result = await exportToFolder({
        database,
        folder,
        timezone,
        lookbackHours,
        rules,
        targets: DEFAULT_DIMENSIONS.map((dimension) => ({ kind: "rollup", dimensions: [dimension] })),
        signal: context.signal,
      });
      using warehouse = openExistingWarehouse(database);
      using session = new RollupSession(warehouse.sqlite, { rules });
      for (const dimension of DEFAULT_DIMENSIONS) {
        const { columns, rows } = session.rollup({ dimensions: [dimension] });
        context.tell(
          `\n${describeRollup(dimension, columns, Iterator.from(rows).take(ROWS_SHOWN).toArray())}`,
        );
      }
      context.tell(`\n${describeExport(result, context.folder)}`);
      exit(exitCodeOf(run));
    });
}

function describeRollup(
  dimension: Dimension,
  columns: readonly RollupColumn[],
  rows: readonly Row[],
): string {
  const shown = Object.entries(SHOWN).map(([name, title]) => {
    const index = columns.findIndex((column) => column.name === name);
    return { title, index, decimals: columns[index]?.decimals };
  });
  return formatTable(
    [dimension, ...shown.map(({ title }) => title)],
    rows.map((row) => [
      ellipsize(String(row[0]), 26),
      ...shown.map(({ index, decimals }) => formatFigure(row[index], decimals)),
    ]),
  );
}

function formatFigure(value: Row[number] | undefined, decimals: number | undefined): string {
  if (typeof value !== "number") return value ?? "";
  return decimals === undefined ? formatCount(value) : value.toFixed(decimals);
}
