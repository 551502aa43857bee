import { hash } from "node:crypto";
import { and, eq, inArray, isNull, lt, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { countRows } from "../counts.ts";
import { about, describeTable } from "../described.ts";
import type { Tx } from "../transaction.ts";
import { prepareUpsert } from "../upsert.ts";
import type { Reader, Warehouse } from "../warehouse.ts";
import type { Keeping } from "./call-guard.ts";
import type { ForgottenCallers } from "./forgotten-callers.ts";

export const rejected_calls = sqliteTable("rejected_calls", {
  row_key: about(
    text().primaryKey(),
    "`id:` and the call id; for a row without one `sha256:` and its hash, or `sealed:` and a keyed hash if callers are identified by digests.",
    "digest",
  ),
  call_id: about(integer(), "The call id, if the row has one."),
  json: about(text().notNull(), "The row as served, without what is not kept.", "row"),
  path: about(text().notNull(), "The member that cannot be parsed.", "text"),
  reason: about(text().notNull(), "The reason.", "text"),
  first_run_id: about(integer().notNull(), "The run that first read the row."),
  last_run_id: about(integer().notNull(), "The run that last read it."),
});
export const REJECTED_CALLS = describeTable(
  rejected_calls,
  "Rows that could not be parsed, until a later run can.",
);

export type RejectedCall = typeof rejected_calls.$inferSelect;

export type Rejection = Pick<RejectedCall, "call_id" | "json" | "path" | "reason">;

/** Records rows that could not be parsed, each once, with its latest error and without what may not be kept. */
export function recordRejected(
  warehouse: Warehouse,
  rejections: readonly Rejection[],
  runId: number,
  keeping: Keeping,
): void {
  if (rejections.length === 0) return;
  const readFirstRun = warehouse.db
    .select({ run_id: rejected_calls.first_run_id })
    .from(rejected_calls)
    .where(eq(rejected_calls.row_key, sql.placeholder("row_key")))
    .prepare();
  const upsert = prepareUpsert(
    warehouse,
    rejected_calls,
    ["row_key", "call_id", "json", "path", "reason", "first_run_id", "last_run_id"],
    ["json", "path", "reason", "last_run_id"],
  );
  for (const rejection of rejections) {
    const served: Rejection & { row_key?: string } = rejection;
    const { row_key = toRowKey(rejection, keeping), ...stripped } =
      keeping.forgotten?.stripRejected(served) ?? served;
    const first_run_id = readFirstRun.get({ row_key })?.run_id ?? runId;
    const json = keeping.toStoredRow(stripped.json, first_run_id);
    upsert({ ...stripped, json, row_key, first_run_id, last_run_id: runId });
  }
}

export function deleteRejected({ db }: Warehouse, callIds: readonly number[]): void {
  const keys = callIds.map((id) => `id:${id}`);
  db.delete(rejected_calls).where(inArray(rejected_calls.row_key, keys)).run();
}

/** Deletes rows without an id that a verified full pass did not meet: they are gone, or were parsed since. */
export function deleteUnnamed({ db }: Warehouse, runId: number): void {
  db.delete(rejected_calls)
    .where(and(isNull(rejected_calls.call_id), lt(rejected_calls.last_run_id, runId)))
    .run();
}

export function readRejected({ db }: Reader): RejectedCall[] {
  return db.select().from(rejected_calls).orderBy(rejected_calls.row_key).all();
}

export function countRejected(warehouse: Reader, runId: number): number {
  return countRows(warehouse, rejected_calls, eq(rejected_calls.last_run_id, runId));
}

export function countAllRejected(warehouse: Reader): number {
  return countRows(warehouse, rejected_calls);
}

function toRowKey({ call_id, json }: Rejection, keeping: Keeping): string {
  return call_id === null ? keeping.toRowKey(hash("sha256", json)) : `id:${call_id}`;
}

/** Removes the content of records that belong to or name forgotten callers; returns how many changed. */
export function stripRejectedRows(warehouse: Tx, forgotten: ForgottenCallers, keeping: Keeping): number {
  let stripped = 0;
  for (const row of readRejected(warehouse)) {
    const left = forgotten.stripRejected(row);
    const json = keeping.toStoredRow(left.json, row.first_run_id);
    if (left === row && json === row.json) continue;
    warehouse.db
      .update(rejected_calls)
      .set({ ...left, json })
      .where(eq(rejected_calls.row_key, row.row_key))
      .run();
    if (left !== row) stripped++;
  }
  return stripped;
}
