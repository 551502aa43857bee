import { eq } from "drizzle-orm";
import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { BEFORE_ALL_TIMES, WITHHELD_KINDS, type WithheldKind } from "../calls/privacy/keep-settings.ts";
import { about, describeTable } from "./described.ts";
import type { Reader, Warehouse } from "./warehouse.ts";

export const retention = sqliteTable("retention", {
  kind: about(
    text({ enum: WITHHELD_KINDS }).primaryKey(),
    "transcripts, summaries, caller_numbers, recording_urls or extra.",
  ),
  pruned_before: about(
    text().notNull(),
    "No call before this time contains any, ISO 8601 UTC; `~` for all calls.",
  ),
});
export const RETENTION = describeTable(
  retention,
  "Up to when calls have been pruned, by kind; a kind that is always kept has no row.",
);

export function readRetention({ db }: Reader): Map<WithheldKind, string> {
  const rows = db.select().from(retention).all();
  return new Map(rows.map(({ kind, pruned_before }) => [kind, pruned_before]));
}

export function setRetention({ db }: Warehouse, kind: WithheldKind, pruned_before: string): void {
  db.delete(retention).where(eq(retention.kind, kind)).run();
  if (pruned_before !== BEFORE_ALL_TIMES) db.insert(retention).values({ kind, pruned_before }).run();
}
