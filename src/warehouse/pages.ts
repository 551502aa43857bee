import { eq, sql } from "drizzle-orm";
import type { Warehouse } from "./open.ts";
import { sync_pages } from "./schema.ts";

/** Runs whose pages are kept in the ledger. */
const RUNS_WITH_PAGES = 100;

export type SyncPage = typeof sync_pages.$inferInsert;

/** Writes a page's place in the walk. Call it in the transaction that writes its calls. */
export function insertPage({ db }: Warehouse, page: SyncPage): void {
  db.insert(sync_pages).values(page).run();
}

/** Counts the different calls that the pages of a run hold, unreadable ones left out. */
export function countDistinctCalls({ db }: Warehouse, runId: number): number {
  const row = db.get<{ calls: number }>(
    sql`SELECT count(DISTINCT id.value) AS calls FROM ${sync_pages}, json_each(${sync_pages.call_ids}) AS id
        WHERE ${sync_pages.run_id} = ${runId}`,
  );
  return row.calls;
}

/** Drops what only a walk under way needs: the ids of this run's pages, and the pages of long past runs. */
export function trimPages({ db }: Warehouse, runId: number): void {
  db.update(sync_pages).set({ call_ids: null }).where(eq(sync_pages.run_id, runId)).run();
  db.delete(sync_pages)
    .where(sql`${sync_pages.run_id} <= ${runId - RUNS_WITH_PAGES}`)
    .run();
}
