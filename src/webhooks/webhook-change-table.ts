import { eq } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { about, describeTable } from "../warehouse/described.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

const columns = {
  change_id: about(integer().primaryKey({ autoIncrement: true }), "Id of the change."),
  webhook_id: about(integer().notNull(), "The webhook that was changed."),
  sent_at: about(text().notNull(), "When it was sent, ISO 8601 UTC."),
  method: about(text({ enum: ["PUT", "PATCH"] }).notNull(), "PUT or PATCH."),
  body: about(text().notNull(), "JSON object as sent, with secret-looking static parameters masked.", "text"),
  outcome: about(
    text({ enum: ["sent", "done", "refused", "unknown"] }).notNull(),
    "sent: no response yet, or the process was killed. done, refused, or unknown: it may have been made.",
  ),
  answer: about(text(), "The service's response, or the error.", "text"),
  request_id: about(text(), "The service's own identifier of the request."),
};

export const webhook_changes = sqliteTable("webhook_changes", columns);
export const WEBHOOK_CHANGES = describeTable(webhook_changes, "Webhook changes made by calltally.", columns);

export type WebhookChange = typeof webhook_changes.$inferSelect;

/** Records a change before it is sent; returns its id. */
export function recordWebhookChange(
  { db }: Warehouse,
  change: Pick<WebhookChange, "webhook_id" | "sent_at" | "method" | "body">,
): number {
  const inserted = db.insert(webhook_changes).values({ ...change, outcome: "sent" });
  return inserted.returning({ change_id: webhook_changes.change_id }).get().change_id;
}

export function recordWebhookOutcome(
  { db }: Warehouse,
  changeId: number,
  outcome: Pick<WebhookChange, "outcome" | "answer" | "request_id">,
): void {
  db.update(webhook_changes).set(outcome).where(eq(webhook_changes.change_id, changeId)).run();
}
