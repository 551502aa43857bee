import type { SyncRun } from "../warehouse/runs.ts";
import { formatCount, formatElapsed } from "./format.ts";

/** Returns a finished run in words. */
export function summarizeRun(run: SyncRun): string {
  const count = (value: number | null) => formatCount(value ?? 0).padStart(11);
  const lines = [
    `Run ${run.run_id}, ${run.mode} pass, ${formatElapsed(run.elapsed_ms ?? 0)}`,
    `  read      ${count(run.calls_read)}   the service counts ${formatCount(run.last_total ?? 0)}`,
    `  new       ${count(run.calls_new)}`,
    `  changed   ${count(run.calls_changed)}`,
    `  unchanged ${count(run.calls_unchanged)}`,
    `  rejected  ${count(run.calls_rejected)}${run.calls_rejected ? "   kept aside: see calltally status" : ""}`,
    `  verdict   ${run.verdict}: ${run.verdict_reason}`,
  ];
  if (run.retries) lines.push(`  retries   ${count(run.retries)}   failed requests that were sent again`);
  return lines.join("\n");
}
