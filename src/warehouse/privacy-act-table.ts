import { asc, eq, isNull, max } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { z } from "zod";
import { about, describeTable } from "./described.ts";
import type { Tx } from "./transaction.ts";
import type { Reader, Warehouse } from "./warehouse.ts";

export const privacy_acts = sqliteTable("privacy_acts", {
  act_id: about(integer().primaryKey({ autoIncrement: true }), "Id of the act."),
  at: about(text().notNull(), "When it was done, ISO 8601 UTC."),
  act: about(text({ enum: ["forget", "prune"] }).notNull(), "forget, or prune: as the keep settings ask."),
  counts: about(text().notNull(), "JSON object: what was removed, and how much."),
  erased_at: about(text(), "When the bytes were erased from the files, too, ISO 8601 UTC; null before."),
});
export const PRIVACY_ACTS = describeTable(privacy_acts, "Removals of personal data; holds none.");

const countsSchema = z.record(z.string(), z.number());

export type PrivacyAct = Omit<typeof privacy_acts.$inferSelect, "counts"> & {
  counts: Readonly<z.infer<typeof countsSchema>>;
};

export function insertPrivacyAct(
  { db }: Tx,
  { at, act, counts }: Pick<PrivacyAct, "at" | "act" | "counts">,
): number {
  return db
    .insert(privacy_acts)
    .values({ at, act, counts: JSON.stringify(counts) })
    .returning({ act_id: privacy_acts.act_id })
    .get().act_id;
}

export function updatePrivacyAct({ db }: Tx, actId: number, counts: PrivacyAct["counts"]): void {
  db.update(privacy_acts)
    .set({ counts: JSON.stringify(counts) })
    .where(eq(privacy_acts.act_id, actId))
    .run();
}

/** Returns whether bytes are left to erase, and when that was last done, ISO 8601 UTC; null for never. */
export function readErasure(warehouse: Reader): { isDue: boolean; last: string | null } {
  const erasures = readPrivacyActs(warehouse).map(({ erased_at }) => erased_at);
  const done = erasures.filter((time) => time !== null).toSorted();
  return { isDue: done.length < erasures.length, last: done.at(-1) ?? null };
}

export function markErased({ db }: Warehouse, erased_at: string): void {
  db.update(privacy_acts).set({ erased_at }).where(isNull(privacy_acts.erased_at)).run();
}

export function readLastForgotten({ db }: Reader): number {
  const last = db
    .select({ act_id: max(privacy_acts.act_id) })
    .from(privacy_acts)
    .where(eq(privacy_acts.act, "forget"))
    .get();
  return last?.act_id ?? 0;
}

/** @param time ISO 8601 UTC */
export function hasForgottenSince(warehouse: Reader, time: string): boolean {
  return readPrivacyActs(warehouse).some(({ act, at }) => act === "forget" && at >= time);
}

export function readPrivacyActs({ db }: Reader): PrivacyAct[] {
  const rows = db.select().from(privacy_acts).orderBy(asc(privacy_acts.act_id)).all();
  return rows.map((row) => ({ ...row, counts: countsSchema.parse(JSON.parse(row.counts)) }));
}
