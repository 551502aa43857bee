import { expect, it } from "vitest";
import { insights, saveInsight } from "../../../src/features/insights/insights.ts";
import { forgetCallers } from "../../../src/forget/forget-callers.ts";
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
