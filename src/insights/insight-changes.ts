import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { about, describeTable } from "../warehouse/described.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

const columns = {
  change_id: about(integer().primaryKey({ autoIncrement: true }), "Id of the change."),
  insight_id: about(integer().notNull(), "The insight that changed."),
  seen_at: about(text().notNull(), "When the change was seen, ISO 8601 UTC."),
  member: about(text().notNull(), "The member's name."),
  before: about(text().notNull(), "JSON value at the fetch before.", "text"),
  after: about(text().notNull(), "JSON value now.", "text"),
};

export const insight_changes = sqliteTable("insight_changes", columns);
export const INSIGHT_CHANGES = describeTable(insight_changes, "Changes of insights by member.", columns);

export interface InsightChange {
  member: string;
  before: unknown;
  after: unknown;
}

/** @param seenAt ISO 8601 UTC */
export function insertInsightChanges(
  { db }: Warehouse,
  insight_id: number,
  changes: readonly InsightChange[],
  seenAt: string,
): void {
  for (const { member, before, after } of changes) {
    const values = { member, before: JSON.stringify(before), after: JSON.stringify(after) };
    db.insert(insight_changes)
      .values({ insight_id, seen_at: seenAt, ...values })
      .run();
  }
}
