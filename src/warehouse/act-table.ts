import { eq } from "drizzle-orm";
import type { Warehouse } from "./open.ts";
import { privacy_acts } from "./schema.ts";

/** An act as it is to be recorded. */
export type PrivacyAct = Pick<typeof privacy_acts.$inferSelect, "at" | "act">;

/** Records an act, in the transaction that does it; returns its number. */
export function insertAct(
  { db }: Pick<Warehouse, "db">,
  act: PrivacyAct,
  counts: Readonly<Record<string, number>>,
): number {
  const row = db
    .insert(privacy_acts)
    .values({ ...act, counts: JSON.stringify(counts) })
    .returning({ act_id: privacy_acts.act_id })
    .get();
  return row.act_id;
}

/** Says of an act that goes on how far it has come, in the transaction that carries it on. */
export function updateAct(
  { db }: Pick<Warehouse, "db">,
  actId: number,
  counts: Readonly<Record<string, number>>,
): void {
  db.update(privacy_acts)
    .set({ counts: JSON.stringify(counts) })
    .where(eq(privacy_acts.act_id, actId))
    .run();
}
