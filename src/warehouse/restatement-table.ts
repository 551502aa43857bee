import { and, desc, gt, gte, lt, type SQL } from "drizzle-orm";
import { z } from "zod";
import { CHANGE_REASONS } from "../rollup/change-reasons.ts";
import { restatements } from "./schema.ts";
import type { Warehouse } from "./warehouse.ts";

/** What changed a figure: a change of calls, or of what was imported of the costs of ads. */
export const RESTATEMENT_REASONS = [...CHANGE_REASONS, "spend_changed"] as const;
export type RestatementReason = (typeof RESTATEMENT_REASONS)[number];

/** What one reason did to a figure. */
export interface Effect {
  reason: RestatementReason;
  /** How many calls; null where it is not about calls. */
  calls: number | null;
  /** Of a figure that adds up: what it is more now for that; null for others. */
  effect: number | null;
}

/** A value of a figure; null where it is blank. */
export type FigureValue = string | number | null;

/** A figure of a complete period that was given out and is another now. */
export interface Restatement {
  /** When it was found, ISO 8601 UTC. */
  found_at: string;
  /** Absolute path of the file. */
  path: string;
  /** Its dimensions, separated by commas. */
  contents: string;
  /** As in the file; empty without periods. */
  period: string;
  /** ISO 8601 UTC. */
  starts_at: string;
  /** Not part of it. */
  ends_at: string;
  /** The values of the key columns, by their names. */
  key: Readonly<Record<string, FigureValue>>;
  metric: string;
  was: FigureValue;
  now: FigureValue;
  /** Null for times, and where one of them is blank. */
  change: number | null;
  /** When the earlier value was given out, ISO 8601 UTC. */
  given_out_at: string;
  reasons: readonly Effect[];
  /** Names of the settings for attribution that changed in between, separated by commas; null where none did. */
  rules_changed: string | null;
}

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
