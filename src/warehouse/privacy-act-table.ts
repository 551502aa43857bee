import { asc, isNull } from "drizzle-orm";
import type { Warehouse } from "./open.ts";
import { privacy_acts } from "./schema.ts";

export interface PrivacyAct {
  act_id: number;
  /** ISO 8601 UTC. */
  at: string;
  act: "forget" | "prune";
  /** How many of what were removed. */
  counts: Readonly<Record<string, number>>;
  /** When the bytes were gone from the files of the warehouse, ISO 8601 UTC; null before. */
  erased_at: string | null;
}

/** Records that personal data was removed. Call it in the transaction that removes it. */
export function insertPrivacyAct(
  { db }: Pick<Warehouse, "db">,
  { at, act, counts }: Pick<PrivacyAct, "at" | "act" | "counts">,
): void {
  db.insert(privacy_acts)
    .values({ at, act, counts: JSON.stringify(counts) })
    .run();
}

/** Records that the bytes of all that was removed so far are gone. */
export function markErased({ db }: Pick<Warehouse, "db">, erased_at: string): void {
  db.update(privacy_acts).set({ erased_at }).where(isNull(privacy_acts.erased_at)).run();
}

/** Returns the acts, the first one first. */
export function readPrivacyActs({ db }: Pick<Warehouse, "db">): PrivacyAct[] {
  const rows = db.select().from(privacy_acts).orderBy(asc(privacy_acts.act_id)).all();
  return rows.map((row) => ({ ...row, counts: JSON.parse(row.counts) }));
}
