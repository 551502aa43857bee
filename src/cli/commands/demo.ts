import { join, relative } from "node:path";
import { Command } from "@commander-js/extra-typings";
import { formatCount, formatShare, formatTenths } from "../../base/text/quantity-text.ts";
import { ellipsize, formatTable } from "../../base/text/terminal-text.ts";
import type { ReadTable } from "../../export/output/memory.ts";
import type { Figures } from "../../figures/sums.ts";
import { DEMO_CALLS, type Demo, makeDemo } from "../../sandbox/demo/make-demo.ts";
import { exitCodeOf } from "../../sync/run.ts";
import { settingsOf } from "../chosen-accounts.ts";
import type { Context } from "../context.ts";
import { action } from "../frame.ts";
import { describeMade } from "../terminal/made-text.ts";
import { summarizeRun } from "../terminal/run-summary.ts";

export const command = (context: Context) =>
  new Command("demo")
    .description(
      `Starts a local server with ${formatCount(DEMO_CALLS)} made-up calls, syncs from it, and writes the files of \`calltally export\` and a page of charts to data/demo/.`,
    )
    .addHelpText("after", "\nExample:\n  $ calltally demo")
    .action(
      action(context, async () => {
        const folder = join(context.folder, "data", "demo");
        const demo = await makeDemo(folder, settingsOf(context), context.signal);
        return { summary: describeDemo(demo, context.folder), exit: exitCodeOf(demo.run) };
      }),
    );

const ROWS_SHOWN = 8;
/** The columns that fit a terminal of 80. */
const SHOWN: Readonly<Record<string, (figures: Figures) => string | null>> = {
  calls: ({ calls }) => formatCount(Number(calls)),
  answered: ({ answered_calls }) => formatCount(Number(answered_calls)),
  rate: ({ answered_calls, calls }) => formatShare(Number(answered_calls), Number(calls)),
  callers: ({ unique_callers }) => formatCount(Number(unique_callers)),
  qualified: ({ qualified_calls }) => formatCount(Number(qualified_calls)),
  "avg s": ({ average_duration_seconds: seconds }) =>
    seconds === null ? null : formatTenths(Number(seconds)),
};

function describeDemo({ run, report, tables, pages }: Demo, folder: string): string {
  const [byChannel = "", byCampaign = ""] = tables.map(describeRollup);
  return [
    `What brought a made-up plumber ${formatCount(DEMO_CALLS)} calls:`,
    byChannel,
    byCampaign,
    `Open ${pages.map(({ path, use }) => `${relative(folder, path)} ${use}`).join(", or ")}.`,
    describeMade(report, folder),
    "How the calls were copied, and the proof that none is missing:",
    summarizeRun(run),
  ].join("\n\n");
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
