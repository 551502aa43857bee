import { hash } from "node:crypto";
import { and, count, eq, inArray, isNull, lt } from "drizzle-orm";
import { openForgotten } from "./forgotten.ts";
import type { Warehouse } from "./open.ts";
import { excluded, placeholders, prepareWrite } from "./positional.ts";
import { rejected_calls } from "./schema.ts";

export type RejectedCall = typeof rejected_calls.$inferSelect;

/** A row that did not parse. */
export type Rejection = Pick<RejectedCall, "call_id" | "json" | "path" | "reason">;

/** Records rows that did not parse, each once, with its latest error; of forgotten callers without their content. */
export function recordRejected(
  { db, sqlite, path }: Warehouse,
  rejections: readonly Rejection[],
  runId: number,
): void {
  if (rejections.length === 0) return;
  const upsert = prepareWrite<keyof RejectedCall>(
    sqlite,
    db
      .insert(rejected_calls)
      .values(placeholders(["row_key", "call_id", "json", "path", "reason", "first_run_id", "last_run_id"]))
      .onConflictDoUpdate({
        target: rejected_calls.row_key,
        set: excluded(["json", "path", "reason", "last_run_id"]),
      }),
  );
  const forgotten = openForgotten({ db, path });
  for (const rejection of rejections) {
    const stripped = forgotten?.stripRejected(rejection) ?? rejection;
    upsert({ row_key: rowKey(rejection), ...stripped, first_run_id: runId, last_run_id: runId });
  }
}

/** Deletes the records of calls that have been read without errors since. */
export function deleteRejected({ db }: Warehouse, callIds: readonly number[]): void {
  const keys = callIds.map((id) => `id:${id}`);
  db.delete(rejected_calls).where(inArray(rejected_calls.row_key, keys)).run();
}

/**
 * Deletes the records of rows without an identifier that a verified full pass did not meet. Each was either read without
 * errors under an identifier that was unreadable before, or is gone.
 */
export function deleteUnnamed({ db }: Warehouse, runId: number): void {
  db.delete(rejected_calls)
    .where(and(isNull(rejected_calls.call_id), lt(rejected_calls.last_run_id, runId)))
    .run();
}

/** Returns all unresolved rows. */
export function readRejected({ db }: Warehouse): RejectedCall[] {
  return db.select().from(rejected_calls).orderBy(rejected_calls.row_key).all();
}

/** Counts the rows a run rejected, and those of them that have a call id. */
export function countRejected({ db }: Warehouse, runId: number): { rows: number; withId: number } {
  const counts = { rows: count(), withId: count(rejected_calls.call_id) };
  return (
    db.select(counts).from(rejected_calls).where(eq(rejected_calls.last_run_id, runId)).get() ?? {
      rows: 0,
      withId: 0,
    }
  );
}

/** Counts all unresolved rows. */
export function countAllRejected({ db }: Warehouse): number {
  return db.select({ rows: count() }).from(rejected_calls).get()?.rows ?? 0;
}

function rowKey({ call_id, json }: Rejection): string {
  return call_id === null ? `sha256:${hash("sha256", json)}` : `id:${call_id}`;
}
