import { and, desc, eq, gt, isNull, or, type SQL } from "drizzle-orm";
import { index, integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { z } from "zod";
import { about, describeTable } from "../warehouse/described.ts";
import type { Tx } from "../warehouse/transaction.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { END_REASONS, KINDS, WATCHED } from "./judge-calls.ts";

const columns = {
  notice_id: about(integer().primaryKey({ autoIncrement: true }), "Id of the notice."),
  dimension: about(
    text({ enum: WATCHED }).notNull(),
    "tracking_number, source or campaign; all if all calls are off.",
  ),
  key: about(text().notNull(), "JSON object of the key columns.", "key"),
  kind: about(
    text({ enum: KINDS }).notNull(),
    "silent: no call; few: at most half of the calls expected; many: at least twice as many.",
  ),
  since: about(text().notNull(), "From when on calls are off, ISO 8601 UTC; for silent, the last call."),
  calls: about(integer().notNull(), "Calls from then until `judged_until`."),
  expected: about(
    real().notNull(),
    "Mean number of calls at the same weekdays and hours of the weeks before.",
  ),
  judged_until: about(text().notNull(), "Until when calls had been judged when it started, ISO 8601 UTC."),
  noticed_at: about(text().notNull(), "When it was noticed, ISO 8601 UTC."),
  run_id: about(integer().notNull(), "The sync after which it was noticed."),
  ended_at: about(text(), "When it was over, ISO 8601 UTC; null while it is open."),
  end_reason: about(
    text({ enum: END_REASONS }),
    "calls again, as before, or nothing to compare with; null while it is open.",
  ),
  end_noticed_at: about(text(), "When its end was noticed, ISO 8601 UTC; null while it is open."),
};

export const notices = sqliteTable("notices", columns, (table) => [
  index("notices_ended").on(table.ended_at),
]);
export const NOTICES = describeTable(
  notices,
  "Tracking numbers, sources and campaigns with spend that went silent or far off, one row per notice.",
);

const keySchema = z.record(z.string(), z.string().nullable());

export type Notice = ReturnType<typeof readNotices>[number];
/** Reads the open notices and those that ended after a moment, ISO 8601 UTC, the latest first. @default only the open ones */
export function readNotices(warehouse: Warehouse, endedAfter?: string) {
  const isOpen = isNull(notices.ended_at);
  return read(warehouse, endedAfter === undefined ? isOpen : or(isOpen, gt(notices.ended_at, endedAfter)));
}

/** Reads the notices that were new, or found to be over, after a moment, ISO 8601 UTC. */
export function readNewsAfter(warehouse: Warehouse, moment: string): Notice[] {
  return read(warehouse, or(gt(notices.noticed_at, moment), gt(notices.end_noticed_at, moment)));
}

/** Reads the notices that were new, or found to be over, at this very moment, ISO 8601 UTC. */
export function readNewsOf(warehouse: Warehouse, moment: string): Notice[] {
  return read(warehouse, or(eq(notices.noticed_at, moment), eq(notices.end_noticed_at, moment)));
}

/** Returns when the latest notice was new, or found to be over, ISO 8601 UTC; empty for none. */
export function readLastNews({ sqlite }: Warehouse): string {
  const last = sqlite.prepare<[], string>(
    "SELECT coalesce(max(max(noticed_at, coalesce(end_noticed_at, ''))), '') FROM notices",
  );
  return last.pluck().get() ?? "";
}

function read({ db }: Warehouse, where: SQL | undefined) {
  const rows = db
    .select()
    .from(notices)
    .where(and(where))
    .orderBy(desc(notices.since), notices.notice_id)
    .all();
  return rows.map((row) => ({ ...row, key: keySchema.parse(JSON.parse(row.key)) }));
}

export function insertNotice({ db }: Tx, notice: typeof notices.$inferInsert): void {
  db.insert(notices).values(notice).run();
}

export function endNotice(
  { db }: Tx,
  noticeId: number,
  end: Pick<typeof notices.$inferInsert, "ended_at" | "end_reason" | "end_noticed_at">,
): void {
  db.update(notices).set(end).where(eq(notices.notice_id, noticeId)).run();
}
