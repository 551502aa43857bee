import type { LogLine, SyncedAccount } from "../feature.ts";
import { publish } from "./publish.ts";
import { toPublishOptions } from "./publish-options.ts";

export async function publishAfterSync({ account, settings, signal }: SyncedAccount): Promise<LogLine> {
  const options = { ...toPublishOptions(settings, account), isThorough: false, signal };
  const { target, totals, sent, elapsed_ms } = await publish(options);
  return { data: { target, ...totals, sent: sent.calls, elapsed_ms }, message: "published" };
}
