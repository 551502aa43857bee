import type { FollowUp, SyncedAccount } from "../feature.ts";
import { publish } from "./publish.ts";
import { describePublished } from "./publish-words.ts";

/** Publishes an account, as its settings say. */
export async function publishAfterSync({ account, settings, signal }: SyncedAccount): Promise<FollowUp> {
  const publication = await publish(settings, { account, signal });
  const { target, totals, sent, elapsed_ms } = publication;
  return {
    data: publication,
    logged: { target, ...totals, sent: sent.calls, elapsed_ms },
    summary: describePublished(publication),
  };
}
