import { and, desc, gt, gte, lt, type SQL } from "drizzle-orm";
import { z } from "zod";
import { RESTATEMENT_REASONS, type Restatement } from "../export/restatement.ts";
import { restatements } from "../warehouse/schema.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

const value = z.union([z.string(), z.number(), z.null()]);
const keySchema = z.record(z.string(), value);
const reasonsSchema = z.array(
  z.object({
    reason: z.enum(RESTATEMENT_REASONS),
    calls: z.number().nullable(),
    effect: z.number().nullable(),
  }),
);

/** Keeps what was found; two exports of one folder at once may find the same. */
export function insertRestatements({ db }: Warehouse, found: readonly Restatement[]): void {
  const { path, contents, given_out_at, period, key, metric } = restatements;
  for (const restatement of found) {
    const row = {
      ...restatement,
      key: JSON.stringify(restatement.key),
      was: JSON.stringify(restatement.was),
      now: JSON.stringify(restatement.now),
      reasons: JSON.stringify(restatement.reasons),
    };
    db.insert(restatements)
      .values(row)
      .onConflictDoUpdate({ target: [path, contents, given_out_at, period, key, metric], set: row })
      .run();
  }
}

export interface RestatementFilter {
  /** Found then or later, ISO 8601 UTC. */
  since?: string | undefined;
  /** Of periods that lie in this stretch, or reach into it; ISO 8601 UTC. */
  within?: { startsAt: string; endsAt: string } | undefined;
  limit?: number | undefined;
}

/** Reads what was found, the latest first. */
export function readRestatements(
  { db }: Pick<Warehouse, "db">,
  { since, within, limit = -1 }: RestatementFilter = {},
): Restatement[] {
  const where: (SQL | undefined)[] = [
    since === undefined ? undefined : gte(restatements.found_at, since),
    within && and(lt(restatements.starts_at, within.endsAt), gt(restatements.ends_at, within.startsAt)),
  ];
  return db
    .select()
    .from(restatements)
    .where(and(...where))
    .orderBy(desc(restatements.found_at), restatements.restatement_id)
    .limit(limit)
    .all()
    .map(({ restatement_id: _, ...row }) => ({
      ...row,
      key: keySchema.parse(JSON.parse(row.key)),
      was: value.parse(JSON.parse(row.was)),
      now: value.parse(JSON.parse(row.now)),
      reasons: reasonsSchema.parse(JSON.parse(row.reasons)),
    }));
}
