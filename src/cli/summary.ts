import type { SyncRun } from "../warehouse/runs.ts";
import { formatCount, formatElapsed } from "./format.ts";

/** Returns a finished run in words. */
export function summarizeRun(run: SyncRun): string {
  const count = (value: number | null) => formatCount(value ?? 0).padStart(11);
  const lines = [
    `Run ${run.run_id}, ${formatElapsed(run.elapsed_ms ?? 0)}, ${run.mode} pass: ${run.plan_reason}`,
    `  read      ${count(run.calls_read)}   the service counts ${formatCount(run.last_total ?? 0)}`,
    `  new       ${count(run.calls_new)}`,
    `  changed   ${count(run.calls_changed)}`,
    `  unchanged ${count(run.calls_unchanged)}`,
    `  rejected  ${count(run.calls_rejected)}${run.calls_rejected ? "   kept aside: see calltally status" : ""}`,
    `  verdict   ${run.verdict}: ${run.verdict_reason}`,
  ];
  const changes = [
    { count: run.calls_missing, note: "missing ", meaning: "not met by this pass; gone if they stay away" },
    {
      count: run.calls_gone,
      note: "gone    ",
      meaning: "missing for long enough: left out of the figures from now on",
    },
    { count: run.calls_returned, note: "returned", meaning: "were missing or gone, and are there again" },
    {
      count: run.calls_withheld,
      note: "BRAKE   ",
      meaning: `calls missing at once, so none was marked; --accept-gone ${run.calls_withheld} does`,
    },
  ];
  for (const change of changes) {
    if (change.count) lines.push(`  ${change.note}  ${count(change.count)}   ${change.meaning}`);
  }
  if (run.resumed)
    lines.push(`  resumed   ${count(run.resumed)}   times: it goes on from where it was cut short`);
  if (run.retries) lines.push(`  retries   ${count(run.retries)}   failed requests that were sent again`);
  return lines.join("\n");
}
