import { formatCount, formatElapsed } from "../../base/quantity-text.ts";
import { describeOrder } from "../../paging/order-key.ts";
import type { SyncRun } from "../../warehouse/runs/runs.ts";

export function summarizeRun(run: SyncRun): string {
  const count = (value: number | null) => formatCount(value ?? 0).padStart(11);
  const lines = [
    `Run ${run.run_id}, ${formatElapsed(run.elapsed_ms ?? 0)}, ${run.mode} pass: ${run.plan_reason}`,
    `  read      ${count(run.calls_read)}   the service counts ${formatCount(run.last_total ?? 0)}`,
    `  new       ${count(run.calls_new)}`,
    `  changed   ${count(run.calls_changed)}`,
    `  unchanged ${count(run.calls_unchanged)}`,
    `  rejected  ${count(run.calls_rejected)}${run.calls_rejected ? "   kept aside: see calltally status" : ""}`,
    `  order     ${describeOrder(run)}`,
    `  verdict   ${run.verdict}: ${run.verdict_reason}`,
    ...(run.advice === null ? [] : [`  to do     ${run.advice}`]),
  ];
  const changes: [count: number | null, name: string, meaning: string][] = [
    [run.calls_missing, "missing ", "not met by this pass; gone if they stay away"],
    [run.calls_gone, "gone    ", "missing for long enough: left out of the figures from now on"],
    [
      run.calls_unlisted,
      "unlisted",
      "older than any that the service lists: they have left the list, and still count",
    ],
    [run.calls_returned, "returned", "were missing, gone or unlisted, and are listed again"],
    [
      run.calls_withheld,
      "WITHHELD",
      `calls missing at once, over the missing-call threshold: none was marked; --accept-gone ${run.calls_withheld} does`,
    ],
    [
      run.calls_conflicting,
      "twice   ",
      "calls came twice, with different contents; which are newer is unknown, the last ones are kept",
    ],
    [
      run.calls_other_unit,
      "unit    ",
      "new or changed calls are of another org_unit_id than CALLTALLY_ORG_UNIT_ID: the service may have ignored it",
    ],
    [run.resumed, "resumed ", "times: it goes on from where it was cut short"],
    [run.retries, "retries ", "failed requests that were sent again"],
  ];
  for (const [number, name, meaning] of changes) {
    if (number) lines.push(`  ${name}  ${count(number)}   ${meaning}`);
  }
  return lines.join("\n");
}
