import { desc, eq } from "drizzle-orm";
import type { Warehouse } from "./open.ts";
import { sync_runs } from "./schema.ts";

export type SyncRun = typeof sync_runs.$inferSelect;
export type RunOutcome = Omit<Partial<SyncRun>, "run_id" | "started_at" | "mode">;

/** Opens a run in the ledger; returns its id. */
export function startRun({ db }: Warehouse, run: Pick<SyncRun, "started_at" | "mode">): number {
  const inserted = db
    .insert(sync_runs)
    .values({ ...run, status: "running" })
    .returning({ run_id: sync_runs.run_id })
    .get();
  return inserted.run_id;
}

/** Writes how a run ended; returns its row. */
export function finishRun({ db }: Warehouse, runId: number, outcome: RunOutcome): SyncRun {
  return db.update(sync_runs).set(outcome).where(eq(sync_runs.run_id, runId)).returning().get();
}

/** Returns the latest runs, newest first. */
export function readRuns({ db }: Warehouse, limit: number): SyncRun[] {
  return db.select().from(sync_runs).orderBy(desc(sync_runs.run_id)).limit(limit).all();
}

/** Returns the latest run that came to its end. */
export function readLastDoneRun({ db }: Warehouse): SyncRun | undefined {
  return db
    .select()
    .from(sync_runs)
    .where(eq(sync_runs.status, "done"))
    .orderBy(desc(sync_runs.run_id))
    .limit(1)
    .get();
}
