import { desc, eq, gt, isNull, max, or } from "drizzle-orm";
import { index, integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { z } from "zod";
import { about, describeTable } from "../../warehouse/described.ts";
import type { Tx } from "../../warehouse/transaction.ts";
import type { Reader } from "../../warehouse/warehouse.ts";

/** In the order in which they are judged. */
export const WATCHED = ["tracking_number", "source", "campaign", "all"] as const;
export type WatchedDimension = (typeof WATCHED)[number];
const KINDS = ["silent", "few", "many"] as const;
export type NoticeKind = (typeof KINDS)[number];
const END_REASONS = ["calls again", "as before", "nothing to compare with", "switched off"] as const;
export type EndReason = (typeof END_REASONS)[number];

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
  since: about(
    text().notNull(),
    "From when on calls are off, ISO 8601 UTC; for silent, the end of the hour of the last call.",
  ),
  calls: about(integer().notNull(), "Calls from then until `judged_until`."),
  expected: about(
    real().notNull(),
    "Mean number of calls at the same weekdays and hours of the weeks before.",
  ),
  judged_until: about(text().notNull(), "Until when calls had been judged when it started, ISO 8601 UTC."),
  news: about(integer().notNull(), "Counts starts and ends: the number of its latest."),
  noticed_at: about(text().notNull(), "When it was noticed, ISO 8601 UTC."),
  run_id: about(integer().notNull(), "The sync after which it was noticed."),
  ended_at: about(text(), "When it was over, ISO 8601 UTC; null while it is open."),
  end_reason: about(
    text({ enum: END_REASONS }),
    "calls again, as before, nothing to compare with, or switched off; null while it is open.",
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

export type NoticeRow = ReturnType<typeof readNotices>[number];
/** Reads the open notices, the latest first. @param endedAfter reads notices that ended later as well, ISO 8601 UTC */
export function readNotices({ db }: Reader, endedAfter?: string) {
  const isOpen = isNull(notices.ended_at);
  const where = endedAfter === undefined ? isOpen : or(isOpen, gt(notices.ended_at, endedAfter));
  const rows = db.select().from(notices).where(where).orderBy(desc(notices.since), notices.notice_id).all();
  return rows.map((row) => ({ ...row, key: keySchema.parse(JSON.parse(row.key)) }));
}

/** Reads all notices, open or over. */
export const readAllNotices = (warehouse: Reader) => readNotices(warehouse, "");

/** Returns the number of the latest start or end; 0 for none. A clock may be set back, a number not. */
export function readLastNews({ db }: Reader): number {
  return (
    db
      .select({ last: max(notices.news) })
      .from(notices)
      .get()?.last ?? 0
  );
}

export function insertNotice(tx: Tx, notice: Omit<typeof notices.$inferInsert, "news">): void {
  tx.db
    .insert(notices)
    .values({ ...notice, news: readLastNews(tx) + 1 })
    .run();
}

type End = Pick<typeof notices.$inferInsert, "ended_at" | "end_reason" | "end_noticed_at">;

export function endNotice(tx: Tx, noticeId: number, end: End): void {
  const news = readLastNews(tx) + 1;
  tx.db
    .update(notices)
    .set({ ...end, news })
    .where(eq(notices.notice_id, noticeId))
    .run();
}
