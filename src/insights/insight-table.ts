import { count, eq, getTableColumns, inArray, min } from "drizzle-orm";
import { openForgotten } from "../warehouse/calls/forgotten-callers.ts";
import { insight_changes, insight_groups, insights } from "../warehouse/schema.ts";
import type { Tx } from "../warehouse/transaction.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

/** An insight as it is stored, with the ids of its groups. */
export type StoredInsight = Omit<typeof insights.$inferSelect, "fetched_at"> & { group_list: number[] };

export interface InsightChange {
  member: string;
  before: unknown;
  after: unknown;
}

/**
 * Stores an insight as fetched, and keeps what changed since it was fetched last. Returns the changes; undefined for an
 * insight that was not here.
 */
export function saveInsight(
  warehouse: Tx,
  insight: StoredInsight,
  fetchedAt: string,
): InsightChange[] | undefined {
  const { db } = warehouse;
  const { group_list, ...members } = withoutForgotten(warehouse, insight);
  const stored = readInsight(warehouse, insight.insight_id);
  const row = { ...members, fetched_at: fetchedAt };
  db.insert(insights).values(row).onConflictDoUpdate({ target: insights.insight_id, set: row }).run();
  db.delete(insight_groups).where(eq(insight_groups.insight_id, insight.insight_id)).run();
  for (const group_id of new Set(group_list)) {
    db.insert(insight_groups).values({ insight_id: insight.insight_id, group_id }).run();
  }
  if (stored === undefined) return undefined;
  const changes = compareInsights(stored, { ...members, group_list });
  for (const { member, before, after } of changes) {
    const values = { member, before: JSON.stringify(before), after: JSON.stringify(after) };
    db.insert(insight_changes)
      .values({ insight_id: insight.insight_id, seen_at: fetchedAt, ...values })
      .run();
  }
  return changes;
}

/** An insight in whose texts somebody who was forgotten is not named. */
function withoutForgotten(warehouse: Warehouse, insight: StoredInsight): StoredInsight {
  const forgotten = openForgotten(warehouse);
  return forgotten === undefined ? insight : JSON.parse(forgotten.mask(JSON.stringify(insight)));
}

/** Returns when the one of these insights that was not fetched for longest was fetched; null if any never was. */
export function readOldestFetch({ db }: Warehouse, ids: readonly number[]): string | null {
  const row = db
    .select({ fetched: count(), oldest: min(insights.fetched_at) })
    .from(insights)
    .where(inArray(insights.insight_id, [...ids]))
    .get();
  return row?.fetched === new Set(ids).size ? row.oldest : null;
}

function readInsight({ db }: Warehouse, id: number): StoredInsight | undefined {
  const row = db.select().from(insights).where(eq(insights.insight_id, id)).get();
  if (row === undefined) return undefined;
  const { fetched_at, ...members } = row;
  const groups = db.select().from(insight_groups).where(eq(insight_groups.insight_id, id)).all();
  return { ...members, group_list: groups.map(({ group_id }) => group_id) };
}

function compareInsights(before: StoredInsight, after: StoredInsight): InsightChange[] {
  const {
    fetched_at,
    start_date_parsed,
    indicator_start_date_parsed,
    indicator_end_date_parsed,
    ...columns
  } = getTableColumns(insights);
  const sorted = (ids: readonly number[]) => [...new Set(ids)].sort((a, b) => a - b);
  const members = Object.keys(columns).map((member) => ({
    member,
    before: memberOf(before, member),
    after: memberOf(after, member),
  }));
  const groups = { member: "group_list", before: sorted(before.group_list), after: sorted(after.group_list) };
  return [...members, groups].filter(
    (change) => JSON.stringify(change.before) !== JSON.stringify(change.after),
  );
}

function memberOf(insight: StoredInsight, member: string): unknown {
  return Object.entries(insight).find(([name]) => name === member)?.[1] ?? null;
}
