import type { LogLine, SyncedAccount } from "../feature.ts";
import { publish } from "./publish.ts";

export async function publishAfterSync({ account, settings, signal }: SyncedAccount): Promise<LogLine> {
  const { target, totals, sent, elapsed_ms } = await publish(settings, { account, signal });
  return { data: { target, ...totals, sent: sent.calls, elapsed_ms }, message: "published" };
}
