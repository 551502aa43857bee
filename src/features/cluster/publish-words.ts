import { formatCount, formatElapsed, formatQuantity } from "../../base/text/quantity-text.ts";
import type { publish } from "./publish.ts";

/** Returns the lines of `publish`, and of a sync before it. */
export function describePublished(published: Awaited<ReturnType<typeof publish>>): string {
  const { target, account, shards, totals, sent, erased, elapsed_ms } = published;
  const { calls, spend } = sent;
  const rows = (count: number) => formatCount(count).padStart(11);
  return [
    `Published ${account}, ${formatElapsed(elapsed_ms)}, to ${target}`,
    `  calls     ${rows(totals.calls)}   in ${formatQuantity(shards, "shard")}, equal there, month by month`,
    `  sent      ${rows(calls.rows)}`,
    `  removed   ${rows(calls.removed)}`,
    ...(totals.spend_rows + spend.removed > 0
      ? [
          `  spend     ${rows(totals.spend_rows)}   rows; ${formatCount(spend.rows)} sent, ${formatCount(spend.removed)} removed`,
        ]
      : []),
    ...(erased ? ["  erased                replaced rows: the servers have merged their parts"] : []),
  ].join("\n");
}
