import { expect, it } from "vitest";
import {
  insight_changes,
  insight_groups,
  insights,
  readOldestFetch,
  saveInsight,
} from "../../../src/features/insights/insights.ts";
import { forgetCallers } from "../../../src/operate/forget/forget-callers.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { locked, newWarehouse } from "../../support/warehouses/warehouse.ts";

const NUMBER = "+12145550123";

it("saveInsight masks the numbers of forgotten callers", () => {
  using warehouse = newWarehouse([makeCall({ caller_id: NUMBER })]);
  forgetCallers(locked(warehouse), [{ caller: NUMBER }], { nowMs: Date.now() });
  const { fetched_at, ...insight } = warehouse.db
    .insert(insights)
    .values({ insight_id: 1, fetched_at: "t" })
    .returning()
    .get();
  const served = { ...insight, llm_config: { example: `Call ${NUMBER}` }, group_list: [] };
  writeTransaction(warehouse, (tx) => saveInsight(tx, served, "u"));
  expect(warehouse.db.select().from(insights).get()?.llm_config).toEqual({ example: "Call +99999999999" });
});

it("saveInsight stores each fetch, and what has changed since the one before", () => {
  using warehouse = newWarehouse();
  const { fetched_at, ...bare } = warehouse.db
    .insert(insights)
    .values({ insight_id: 101, fetched_at: "none" })
    .returning()
    .get();
  warehouse.db.delete(insights).run();
  const save = (members: Partial<typeof bare & { group_list: number[] }>, at: string) =>
    writeTransaction(warehouse, (tx) => saveInsight(tx, { ...bare, group_list: [], ...members }, at));
  const first = {
    insight_id: 202,
    insight_name: "Price",
    start_date: "2026-01-02 03:04:05",
    group_list: [9, 8, 9],
  };
  expect(save({ ...first, start_date_parsed: "2026-01-02T03:04:05" }, "2026-10-01")).toBeUndefined();
  expect(save({ insight_id: 101, insight_name: "Other" }, "2026-09-01")).toBeUndefined();
  const second = { ...first, insight_status: "paused", group_list: [7, 8] };
  const changes = save({ ...second, start_date_parsed: null }, "2026-10-05");
  expect(changes).toEqual([
    { member: "insight_status", before: null, after: "paused" },
    { member: "group_list", before: [8, 9], after: [7, 8] },
  ]);
  expect(save(second, "2026-10-06")).toEqual([]);
  expect(warehouse.db.select().from(insight_changes).all()).toEqual([
    ...[
      { member: "insight_status", before: "null", after: '"paused"' },
      { member: "group_list", before: "[8,9]", after: "[7,8]" },
    ].map((change, index) => ({ change_id: index + 1, insight_id: 202, seen_at: "2026-10-05", ...change })),
  ]);
  expect(warehouse.db.select().from(insight_groups).all()).toEqual([
    { insight_id: 202, group_id: 7 },
    { insight_id: 202, group_id: 8 },
  ]);
  const oldest = (...ids: number[]) => readOldestFetch(warehouse, ids);
  expect([oldest(202), oldest(202, 101, 202), oldest(101, 303)]).toEqual(["2026-10-06", "2026-09-01", null]);
});
