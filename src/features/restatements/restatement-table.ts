import { and, desc, gt, gte, lt, type SQL } from "drizzle-orm";
import { integer, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { z } from "zod";
import { about, describeTable } from "../../warehouse/described.ts";
import type { Reader, Warehouse } from "../../warehouse/warehouse.ts";
import type { Findings } from "../feature.ts";
import { RESTATEMENT_REASONS, type Restatement } from "./restatement.ts";

const columns = {
  restatement_id: about(integer().primaryKey({ autoIncrement: true }), "Id of the restatement."),
  found_at: about(text().notNull(), "When it was found, ISO 8601 UTC."),
  path: about(text().notNull(), "Absolute path of the file."),
  contents: about(text().notNull(), "Its dimensions, separated by commas."),
  period: about(text().notNull(), "The period, as in the file; empty without periods."),
  starts_at: about(text().notNull(), "Where the period starts, ISO 8601 UTC."),
  ends_at: about(text().notNull(), "Where the next one starts, ISO 8601 UTC."),
  key: about(text().notNull(), "JSON object of the key columns.", "key"),
  metric: about(text().notNull(), "The column."),
  was: about(text().notNull(), "JSON value in the earlier export."),
  now: about(text().notNull(), "JSON value now."),
  change: about(real(), "`now` minus `was`; null for times, and if either is blank."),
  exported_at: about(text().notNull(), "When the earlier value was exported, ISO 8601 UTC."),
  reasons: about(
    text().notNull(),
    "JSON array of {reason, calls, effect, listed}: how many calls changed for a reason, by how much that changed the figure, and the first ten of the calls, with the facts that changed in each. For a figure that adds up, the effects sum to the change; others have null.",
  ),
  rules_changed: about(text(), "Attribution settings changed in between, by commas; null for none."),
};

export const restatements = sqliteTable("restatements", columns, (table) => [
  uniqueIndex("restatements_once").on(
    table.path,
    table.contents,
    table.exported_at,
    table.period,
    table.key,
    table.metric,
  ),
]);
export const RESTATEMENTS = describeTable(
  restatements,
  "Figures of complete periods that changed after they were exported, found by the next export of the same rollup, one row per figure.",
);

const value = z.union([z.string(), z.number(), z.null()]);
const keySchema = z.record(z.string(), value);
const reasonsSchema = z.array(
  z.object({
    reason: z.enum(RESTATEMENT_REASONS),
    calls: z.number().nullable(),
    effect: z.number().nullable(),
    listed: z.array(z.object({ call_id: z.number(), changed: z.array(z.string()) })).optional(),
  }),
);

/** Two concurrent exports of one folder may find the same. */
export function insertRestatements({ db }: Warehouse, rows: readonly Restatement[]): void {
  const { path, contents, exported_at, period, key, metric } = restatements;
  for (const restatement of rows) {
    const row = {
      ...restatement,
      key: JSON.stringify(restatement.key),
      was: JSON.stringify(restatement.was),
      now: JSON.stringify(restatement.now),
      reasons: JSON.stringify(restatement.reasons),
    };
    db.insert(restatements)
      .values(row)
      .onConflictDoUpdate({ target: [path, contents, exported_at, period, key, metric], set: row })
      .run();
  }
}

export interface RestatementFilter {
  since?: string | undefined;
  /** Periods that overlap this span, ISO 8601 UTC. */
  within?: { startsAt: string; endsAt: string } | undefined;
  limit?: number | undefined;
}

export function readRestatements({ db }: Reader, { since, within, limit = -1 }: RestatementFilter = {}) {
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

export function findRestatedSince(reader: Reader, since?: string): Findings {
  const rows = readRestatements(reader, { since });
  return { rows, ends: rows.map(({ ends_at }) => ends_at) };
}
