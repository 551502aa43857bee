import { eq } from "drizzle-orm";
import { integer, primaryKey, sqliteTable } from "drizzle-orm/sqlite-core";
import { about, describeTable } from "../warehouse/described.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { insights } from "./insights.ts";

const columns = {
  insight_id: about(
    integer()
      .notNull()
      .references(() => insights.insight_id, { onDelete: "cascade" }),
    "The insight in `insights`.",
  ),
  group_id: about(integer().notNull(), "The group's id, `group_list[].id`."),
};

export const insight_groups = sqliteTable("insight_groups", columns, (table) => [
  primaryKey({ columns: [table.insight_id, table.group_id] }),
]);
export const INSIGHT_GROUPS = describeTable(insight_groups, "The org units (groups) of an insight.", columns);

/** Returns the groups of an insight. */
export function readGroups({ db }: Warehouse, insightId: number): number[] {
  const rows = db.select().from(insight_groups).where(eq(insight_groups.insight_id, insightId)).all();
  return rows.map(({ group_id }) => group_id);
}

/** Writes the groups of an insight in the place of the stored ones. */
export function replaceGroups({ db }: Warehouse, insight_id: number, groups: readonly number[]): void {
  db.delete(insight_groups).where(eq(insight_groups.insight_id, insight_id)).run();
  for (const group_id of new Set(groups)) db.insert(insight_groups).values({ insight_id, group_id }).run();
}
