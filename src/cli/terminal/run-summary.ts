import { formatCount, formatElapsed } from "../../base/text/quantity-text.ts";
import { describeOrder } from "../../service/paging/order-key.ts";
import type { SyncRun } from "../../warehouse/runs/runs.ts";

export function summarizeRun(run: SyncRun): string {
  const count = (value: number | null) => formatCount(value ?? 0).padStart(11);
  const lines = [
    `Run ${run.run_id}, ${formatElapsed(run.elapsed_ms ?? 0)}, ${run.mode} pass: ${run.plan_reason}`,
    `  read      ${count(run.calls_read)}   the service counts ${formatCount(run.last_total ?? 0)}`,
    `  new       ${count(run.calls_new)}`,
    `  changed   ${count(run.calls_changed)}`,
    `  unchanged ${count(run.calls_unchanged)}`,
    `  rejected  ${count(run.calls_rejected)}${run.calls_rejected ? "   set aside: see calltally status" : ""}`,
    `  order     ${describeOrder(run)}`,
    `  verdict   ${run.verdict}: ${run.verdict_reason}`,
    ...(run.advice === null ? [] : [`  to do     ${run.advice}`]),
  ];
  const changes: [count: number | null, name: string, meaning: string][] = [
    [run.calls_missing, "missing ", "missing from this pass; gone if they stay missing"],
    [run.calls_gone, "gone    ", "missing for long enough: figures leave them out from now on"],
    [
      run.calls_unlisted,
      "unlisted",
      "older than any that the service lists: they left the list, but still count",
    ],
    [run.calls_returned, "returned", "were missing, gone or unlisted, and are listed again"],
    [
      run.calls_withheld,
      "WITHHELD",
      `calls missing at once, over the missing-call threshold, so none was marked: use --accept-gone ${run.calls_withheld} does`,
    ],
    [
      run.calls_conflicting,
      "twice   ",
      "calls came twice with different contents; the last ones are kept, though the newer ones are unknown",
    ],
    [
      run.calls_other_unit,
      "unit    ",
      "new or changed calls have another org_unit_id than the setting: the service may have ignored it",
    ],
    [run.resumed, "resumed ", "times: it resumes where it was interrupted"],
    [run.retries, "retries ", "failed requests that were repeated"],
    [
      run.page_rows,
      "page    ",
      "rows on a page, because larger ones fail: `calltally sync --full` tries them again",
    ],
  ];
  for (const [number, name, meaning] of changes) {
    if (number) lines.push(`  ${name}  ${count(number)}   ${meaning}`);
  }
  return lines.join("\n");
}
