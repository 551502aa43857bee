import { eq } from "drizzle-orm";
import { webhook_changes } from "../warehouse/schema.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

export type WebhookChange = typeof webhook_changes.$inferSelect;

/** Records a change before it is sent, so that it is known even if the process is killed; returns its id. */
export function recordWebhookChange(
  { db }: Warehouse,
  change: Pick<WebhookChange, "webhook_id" | "sent_at" | "method" | "body">,
): number {
  const inserted = db.insert(webhook_changes).values({ ...change, outcome: "sent" });
  return inserted.returning({ change_id: webhook_changes.change_id }).get().change_id;
}

/** Records what came of a change. */
export function recordWebhookOutcome(
  { db }: Warehouse,
  changeId: number,
  outcome: Pick<WebhookChange, "outcome" | "answer" | "request_id">,
): void {
  db.update(webhook_changes).set(outcome).where(eq(webhook_changes.change_id, changeId)).run();
}
