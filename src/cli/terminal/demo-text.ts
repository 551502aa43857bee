import { relative } from "node:path";
import { formatCount } from "../../base/quantity-text.ts";
import type { Demo } from "../../demo/make-demo.ts";
import type { ReadTable } from "../../export/output/memory.ts";
import { formatAnswerRate } from "../../page/figure-text.ts";
import type { Figures } from "../../page/report-figures.ts";
import { describeMade } from "./made-text.ts";
import { summarizeRun } from "./run-summary.ts";
import { ellipsize, formatTable } from "./text.ts";

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

export function describeDemo({ run, made, tables, page }: Demo, folder: string): string {
  return [
    summarizeRun(run),
    ...tables.map(describeRollup),
    describeMade(made, folder),
    `Open ${relative(folder, page)} in a browser for charts of four weeks.`,
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
