import { count, eq, inArray, min } from "drizzle-orm";
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { openForgotten } from "../../warehouse/calls/forgotten-callers.ts";
import { about, describeTable } from "../../warehouse/described.ts";
import type { Tx } from "../../warehouse/transaction.ts";
import type { Reader } from "../../warehouse/warehouse.ts";
import { insightWithGroupIds } from "./insight-client.ts";

const SERVED_DATE = "As served, YYYY-MM-DD HH:MM:SS in an undocumented zone; 0000-00-00 00:00:00 for none.";

const columns = {
  insight_id: about(integer().primaryKey(), "The service's identifier."),
  insight_name: about(text(), "Name of the insight.", "text"),
  insight_type: about(text(), "As served; keyword-based is one type."),
  insight_help: about(text(), "As served; not documented further.", "text"),
  indicator_score_type: about(text(), "As served; pass/fail is one type."),
  insight_status: about(text(), "As served; active is one status."),
  indicator_active: about(integer({ mode: "boolean" }), "As served; not documented further."),
  is_custom_ai: about(integer({ mode: "boolean" }), "As served; not documented further."),
  llm_config: about(
    text({ mode: "json" }),
    "JSON object: `criteria`, an array of {name, output, example, question, restrictions}.",
    "text",
  ),
  keyword_config: about(text({ mode: "json" }), "JSON object of the settings in the columns below.", "text"),
  draft_details: about(text({ mode: "json" }), "JSON object, which may be empty.", "text"),
  hit_outcome_by: about(text(), "Keyword setting of a hit, as served; may be empty."),
  hit_keywords: about(text(), "Keyword setting of a hit, as served; may be empty.", "text"),
  hit_mention: about(text(), "Keyword setting of a hit, as served; may be empty."),
  miss_outcome_by: about(text(), "Keyword setting of a miss, as served; may be empty."),
  miss_keywords: about(text(), "Keyword setting of a miss, as served; may be empty.", "text"),
  miss_mention: about(text(), "Keyword setting of a miss, as served; may be empty."),
  insight_output: about(text(), "As served; boolean is one kind of output."),
  insight_guideline: about(text(), "As served; not documented further.", "text"),
  insight_description: about(text(), "As served; not documented further.", "text"),
  insight_example: about(text(), "As served; not documented further.", "text"),
  start_date: about(text(), SERVED_DATE),
  indicator_start_date: about(text(), SERVED_DATE),
  indicator_end_date: about(text(), SERVED_DATE),
  start_date_parsed: about(text(), "`start_date` as YYYY-MM-DDTHH:MM:SS; null for none."),
  indicator_start_date_parsed: about(text(), "`indicator_start_date` as YYYY-MM-DDTHH:MM:SS; null for none."),
  indicator_end_date_parsed: about(text(), "`indicator_end_date` as YYYY-MM-DDTHH:MM:SS; null for none."),
  indicator_group_active: about(integer({ mode: "boolean" }), "As served; not documented further."),
  scorecards: about(integer(), "As served; not documented further."),
  creation_date: about(text(), "As served, ISO 8601 UTC by the API's document."),
  last_updated: about(text(), "As served, ISO 8601 UTC by the API's document."),
  created_at: about(text(), "As served, ISO 8601 UTC by the API's document."),
  updated_at: about(text(), "As served, ISO 8601 UTC by the API's document."),
  created_by: about(integer(), "As served; not documented further."),
  updated_by: about(integer(), "As served; not documented further."),
  deleted_at: about(text(), "As served; not documented further."),
  deleted_by: about(integer(), "As served; not documented further."),
  extra: about(
    text({ mode: "json" }),
    "JSON object of members that are undocumented, or not of the documented type.",
    "text",
  ),
  fetched_at: about(text().notNull(), "When it was fetched, ISO 8601 UTC."),
};

export const insights = sqliteTable("insights", columns);
export const INSIGHTS = describeTable(
  insights,
  "Insight details as last fetched (API v3 § 2.1), under the API's own names.",
);

/** Returns the oldest fetch time of these insights; null if one was never fetched. */
export function readOldestFetch({ db }: Reader, ids: readonly number[]): string | null {
  const row = db
    .select({ fetched: count(), oldest: min(insights.fetched_at) })
    .from(insights)
    .where(inArray(insights.insight_id, [...ids]))
    .get();
  return row?.fetched === new Set(ids).size ? row.oldest : null;
}

const groupColumns = {
  insight_id: about(
    integer()
      .notNull()
      .references(() => insights.insight_id, { onDelete: "cascade" }),
    "The insight in `insights`.",
  ),
  group_id: about(integer().notNull(), "The group's id, `group_list[].id`."),
};

export const insight_groups = sqliteTable("insight_groups", groupColumns, (table) => [
  primaryKey({ columns: [table.insight_id, table.group_id] }),
]);
export const INSIGHT_GROUPS = describeTable(insight_groups, "The org units (groups) of an insight.");

export const insight_changes = sqliteTable("insight_changes", {
  change_id: about(integer().primaryKey({ autoIncrement: true }), "Id of the change."),
  insight_id: about(integer().notNull(), "The insight that changed."),
  seen_at: about(text().notNull(), "When the change was seen, ISO 8601 UTC."),
  member: about(text().notNull(), "The member's name."),
  before: about(text().notNull(), "JSON value at the fetch before.", "text"),
  after: about(text().notNull(), "JSON value now.", "text"),
});
export const INSIGHT_CHANGES = describeTable(insight_changes, "Changes of insights by member.");

export interface InsightChange {
  member: string;
  before: unknown;
  after: unknown;
}

/** An insight as stored, with the ids of its groups. */
export type StoredInsight = Omit<typeof insights.$inferSelect, "fetched_at"> & { group_list: number[] };

/** Stores an insight and its changes since the last fetch. Returns the changes; undefined for a new insight. */
export function saveInsight(warehouse: Tx, insight: StoredInsight, fetchedAt: string) {
  const { db } = warehouse;
  const { insight_id } = insight;
  const { group_list: groups, ...members } = withoutForgotten(warehouse, insight);
  const group_list = [...new Set(groups)].sort((a, b) => a - b);
  const stored = readInsight(warehouse, insight_id);
  const row = { ...members, fetched_at: fetchedAt };
  db.insert(insights).values(row).onConflictDoUpdate({ target: insights.insight_id, set: row }).run();
  db.delete(insight_groups).where(eq(insight_groups.insight_id, insight_id)).run();
  for (const group_id of group_list) db.insert(insight_groups).values({ insight_id, group_id }).run();
  if (stored === undefined) return undefined;
  const changes = compareInsights(stored, { ...members, group_list });
  for (const { member, before, after } of changes) {
    const values = { member, before: JSON.stringify(before), after: JSON.stringify(after) };
    db.insert(insight_changes)
      .values({ insight_id, seen_at: fetchedAt, ...values })
      .run();
  }
  return changes;
}

/** Masks forgotten callers in an insight's texts. */
function withoutForgotten(warehouse: Reader, insight: StoredInsight): StoredInsight {
  const forgotten = openForgotten(warehouse);
  if (forgotten === undefined) return insight;
  return insightWithGroupIds.parse(JSON.parse(forgotten.mask(JSON.stringify(insight))));
}

function readInsight({ db }: Reader, id: number): StoredInsight | undefined {
  const row = db.select().from(insights).where(eq(insights.insight_id, id)).get();
  if (row === undefined) return undefined;
  const { fetched_at, ...members } = row;
  const { insight_id, group_id } = insight_groups;
  const groups = db.select({ group_id }).from(insight_groups).where(eq(insight_id, id)).orderBy(group_id);
  return { ...members, group_list: groups.all().map((group) => group.group_id) };
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
