import { Command } from "@commander-js/extra-typings";
import { countCalls } from "../warehouse/calls.ts";
import { readDrift } from "../warehouse/drift.ts";
import { openWarehouseReader } from "../warehouse/open.ts";
import { readRejected } from "../warehouse/rejected.ts";
import { readRuns, type SyncRun } from "../warehouse/runs.ts";
import { type Context, OPTION, settingsOf } from "./context.ts";
import { formatAge, formatCount, formatElapsed, formatTable } from "./format.ts";

const RUNS_SHOWN = 5;
const LINES_SHOWN = 5;

export function statusCommand(context: Context) {
  return new Command("status")
    .description(
      "Shows the last runs with their verdicts, the age of the data, rejected rows and schema drift.",
    )
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally status")
    .action(({ json, ...flags }) => {
      const status = readStatus(settingsOf(context, flags).database);
      context.print(json ? JSON.stringify(status) : describeStatus(status, Date.now()));
    });
}

function readStatus(database: string) {
  using warehouse = openWarehouseReader(database);
  return {
    warehouse: warehouse.path,
    calls: countCalls(warehouse),
    runs: readRuns(warehouse, RUNS_SHOWN),
    rejected: readRejected(warehouse),
    drift: readDrift(warehouse),
  };
}

function describeStatus(status: ReturnType<typeof readStatus>, nowMs: number): string {
  const { warehouse, calls, runs, rejected, drift } = status;
  const last = runs.find((run) => run.status === "done");
  const age = last?.finished_at ? formatAge(nowMs - Date.parse(last.finished_at)) : "never";
  const sections = [
    [
      `Warehouse  ${warehouse}`,
      `Calls      ${formatCount(calls.live)}${calls.gone > 0 ? `, and ${formatCount(calls.gone)} gone from the service` : ""}`,
      `Last sync  ${age}${last ? `: ${last.verdict}, ${last.verdict_reason}` : ""}`,
    ].join("\n"),
  ];
  if (runs.length > 0) sections.push(describeRuns(runs));
  if (rejected.length > 0) {
    const lines = rejected.map(({ row_key, path, reason }) => `  ${row_key}  ${path}: ${reason}`);
    sections.push(
      [`Rejected rows: ${formatCount(rejected.length)}, in the table rejected_calls`, ...some(lines)].join(
        "\n",
      ),
    );
  }
  if (drift.length > 0) {
    const lines = drift.map(({ path, kind, json_type }) =>
      kind === "unknown"
        ? `  ${path}: not documented, kept in extra`
        : `  ${path}: ${json_type} where text is promised`,
    );
    sections.push(["Drift from the documented API", ...some(lines)].join("\n"));
  }
  return sections.join("\n\n");
}

function describeRuns(runs: readonly SyncRun[]): string {
  return formatTable(
    ["run", "started", "took", "read", "new", "changed", "rejected", "ended"],
    runs.map((run) => [
      String(run.run_id),
      run.started_at.slice(0, 16).replace("T", " "),
      run.elapsed_ms === null ? "" : formatElapsed(run.elapsed_ms),
      optionalCount(run.calls_read),
      optionalCount(run.calls_new),
      optionalCount(run.calls_changed),
      optionalCount(run.calls_rejected),
      run.verdict ?? run.status,
    ]),
  );
}

function optionalCount(count: number | null): string {
  return count === null ? "" : formatCount(count);
}

function some(lines: string[]): string[] {
  if (lines.length <= LINES_SHOWN) return lines;
  return [...lines.slice(0, LINES_SHOWN), `  and ${lines.length - LINES_SHOWN} more`];
}
