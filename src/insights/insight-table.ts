import { eq } from "drizzle-orm";
import { openForgotten } from "../warehouse/calls/forgotten-callers.ts";
import type { Tx } from "../warehouse/transaction.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { type InsightChange, insertInsightChanges } from "./insight-changes.ts";
import { insights, readGroups, replaceGroups } from "./insights.ts";

/** An insight as stored, with the ids of its groups. */
export type StoredInsight = Omit<typeof insights.$inferSelect, "fetched_at"> & { group_list: number[] };

/** Stores an insight and its changes since the last fetch. Returns the changes; undefined for a new insight. */
export function saveInsight(
  warehouse: Tx,
  insight: StoredInsight,
  fetchedAt: string,
): InsightChange[] | undefined {
  const { db } = warehouse;
  const { group_list: groups, ...members } = withoutForgotten(warehouse, insight);
  const group_list = [...new Set(groups)].sort((a, b) => a - b);
  const stored = readInsight(warehouse, insight.insight_id);
  const row = { ...members, fetched_at: fetchedAt };
  db.insert(insights).values(row).onConflictDoUpdate({ target: insights.insight_id, set: row }).run();
  replaceGroups(warehouse, insight.insight_id, group_list);
  if (stored === undefined) return undefined;
  const changes = compareInsights(stored, { ...members, group_list });
  insertInsightChanges(warehouse, insight.insight_id, changes, fetchedAt);
  return changes;
}

/** Masks forgotten callers in an insight's texts. */
function withoutForgotten(warehouse: Warehouse, insight: StoredInsight): StoredInsight {
  const forgotten = openForgotten(warehouse);
  return forgotten === undefined ? insight : JSON.parse(forgotten.mask(JSON.stringify(insight)));
}

function readInsight(warehouse: Warehouse, id: number): StoredInsight | undefined {
  const row = warehouse.db.select().from(insights).where(eq(insights.insight_id, id)).get();
  if (row === undefined) return undefined;
  const { fetched_at, ...members } = row;
  return { ...members, group_list: readGroups(warehouse, id) };
}

/** Columns derived from another member. */
const DERIVED = new Set(["start_date_parsed", "indicator_start_date_parsed", "indicator_end_date_parsed"]);

function compareInsights(before: StoredInsight, after: StoredInsight): InsightChange[] {
  const now = new Map<string, unknown>(Object.entries(after));
  return Object.entries(before)
    .map(([member, value]) => ({ member, before: value, after: now.get(member) ?? null }))
    .filter(
      (change) =>
        !DERIVED.has(change.member) && JSON.stringify(change.before) !== JSON.stringify(change.after),
    );
}
