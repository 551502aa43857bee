import { formatCount, formatElapsed, formatQuantity } from "../../base/quantity-text.ts";
import type { PublishResult } from "../../cluster/publish-account.ts";

/** Returns a publication in words. */
export function describePublished({
  target,
  account,
  shards,
  totals,
  sent,
  erased,
  elapsed_ms,
}: PublishResult): string {
  const { calls, spend } = sent;
  const rows = (count: number) => formatCount(count).padStart(11);
  return [
    `Published ${account}, ${formatElapsed(elapsed_ms)}, to ${target}`,
    `  calls     ${rows(totals.calls)}   in ${formatQuantity(shards, "shard")}, the same there: calls, seconds, callers and the hash of each bucket`,
    `  sent      ${rows(calls.rows)}`,
    `  removed   ${rows(calls.removed)}`,
    ...(totals.spend_rows + spend.removed > 0
      ? [
          `  spend     ${rows(totals.spend_rows)}   rows; ${formatCount(spend.rows)} sent, ${formatCount(spend.removed)} removed`,
        ]
      : []),
    ...(erased ? ["  erased                what was replaced: the servers have merged their parts"] : []),
  ].join("\n");
}
