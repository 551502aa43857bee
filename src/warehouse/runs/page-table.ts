import { asc, eq, getTableColumns, min, type SQL, sql } from "drizzle-orm";
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { about, describeTable } from "../described.ts";
import type { Tx } from "../transaction.ts";
import type { Reader, Warehouse } from "../warehouse.ts";
import { sync_runs } from "./runs.ts";

const columns = {
  run_id: about(
    integer()
      .notNull()
      .references(() => sync_runs.run_id, { onDelete: "cascade" }),
    "The run in `sync_runs`.",
  ),
  seq: about(integer().notNull(), "Index in the chain, from 0."),
  offset: about(integer().notNull(), "The offset the service applied."),
  row_count: about(integer().notNull(), "Rows of the page."),
  total: about(integer().notNull(), "`total` of the response."),
  call_ids: about(text(), "JSON array of call ids in order, null if unreadable; dropped when the run ends."),
  order_members: about(
    text(),
    "JSON object of other members that may define an order: `started`, `name`, null if missing; `rejected`, their indexes. Dropped when the run ends.",
    "scratch",
  ),
  request_id: about(text(), "The service's own identifier of the request."),
  is_old: about(integer({ mode: "boolean" }), "1 if the response was stale by the service's own timestamps."),
  fetched_at: about(text().notNull(), "When the response was complete, ISO 8601 UTC."),
};

export const sync_pages = sqliteTable("sync_pages", columns, (table) => [
  primaryKey({ columns: [table.run_id, table.seq] }),
]);
export const SYNC_PAGES = describeTable(
  sync_pages,
  "The pages of a run in the order of the walk: written with their calls, in one transaction.",
);

const RUNS_WITH_PAGES = 100;

export type SyncPage = typeof sync_pages.$inferSelect;

export function insertPage({ db }: Tx, page: typeof sync_pages.$inferInsert): void {
  db.insert(sync_pages).values(page).run();
}

export function readPages({ db }: Reader, runId: number): SyncPage[] {
  return db.select().from(sync_pages).where(eq(sync_pages.run_id, runId)).orderBy(asc(sync_pages.seq)).all();
}

/** Nothing else can be read or written meanwhile. */
export function iteratePages({ sqlite }: Reader, runId: number): IterableIterator<SyncPage> {
  const read = sqlite.prepare<[number], SyncPage>("SELECT * FROM sync_pages WHERE run_id = ? ORDER BY seq");
  return read.iterate(runId);
}

export function deletePages({ db }: Warehouse, runId: number): void {
  db.delete(sync_pages).where(eq(sync_pages.run_id, runId)).run();
}

/** Selects the call ids on the pages of a run, without rows that could not be parsed. */
export function idsOfRun(runId: number): SQL {
  return sql`SELECT id.value FROM sync_pages AS page, json_each(page.call_ids) AS id
    WHERE page.run_id = ${runId} AND id.value IS NOT NULL`;
}

export function countDistinctCalls({ db }: Reader, runId: number): number {
  return db.get<{ calls: number }>(sql`SELECT count(DISTINCT value) AS calls FROM (${idsOfRun(runId)})`)
    .calls;
}

/** Counts the unchanged calls on a run's pages. Subtraction would be wrong: after a restart, calls may be on no page. */
export function countUnchanged({ db }: Reader, runId: number): number {
  return db.get<{ calls: number }>(sql`SELECT count(*) AS calls FROM calls
    WHERE call_id IN (${idsOfRun(runId)}) AND changed_run_id <> ${runId}
      AND call_id NOT IN (SELECT call_id FROM rejected_calls WHERE call_id IS NOT NULL AND last_run_id = ${runId})`)
    .calls;
}

/** Counts the responses of a run whose `request_id` already occurred in an earlier run: they came from a cache. */
export function countRepeatedRequests({ db }: Reader, runId: number): number {
  return db.get<{ pages: number }>(sql`SELECT count(*) AS pages FROM sync_pages AS page
    WHERE page.run_id = ${runId} AND page.request_id IN
      (SELECT request_id FROM sync_pages WHERE run_id <> ${runId} AND request_id IS NOT NULL)`).pages;
}

export function hasAllCalls({ db }: Reader, runId: number): boolean {
  const lacking = db.get<{ id: number } | undefined>(sql`SELECT value AS id FROM (${idsOfRun(runId)})
    WHERE value NOT IN (SELECT call_id FROM calls)
      AND value NOT IN (SELECT call_id FROM rejected_calls WHERE call_id IS NOT NULL) LIMIT 1`);
  return lacking === undefined;
}

/** Returns when the first page of a run was complete, ISO 8601 UTC; undefined if there is none. */
export function readFirstPageTime({ db }: Reader, runId: number): string | undefined {
  const pages = db.select({ first: min(sync_pages.fetched_at) }).from(sync_pages);
  return pages.where(eq(sync_pages.run_id, runId)).get()?.first ?? undefined;
}

/** Deletes what only a walk in progress needs: the ids of pages up to this run, and pages of old runs. */
export function trimPages({ db }: Warehouse, runId: number): void {
  // Rows made shorter in place would each keep a whole page of the file.
  const { call_ids, order_members, ...columns } = getTableColumns(sync_pages);
  const trimmed = db
    .delete(sync_pages)
    .where(sql`${sync_pages.run_id} <= ${runId} AND ${call_ids} IS NOT NULL`)
    .returning(columns)
    .all();
  for (const page of trimmed) db.insert(sync_pages).values(page).run();
  db.delete(sync_pages)
    .where(sql`${sync_pages.run_id} <= ${runId - RUNS_WITH_PAGES}`)
    .run();
}
