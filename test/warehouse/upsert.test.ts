import { expect, test } from "vitest";
import { callers } from "../../src/warehouse/calls/callers.ts";
import { prepareUpsert } from "../../src/warehouse/upsert.ts";
import { newWarehouse } from "../support/warehouses/warehouse.ts";

test("an upsert binds each value to its column in any order of names, and keeps columns that are not to be updated", () => {
  using warehouse = newWarehouse();
  const upsert = prepareUpsert(
    warehouse,
    callers,
    ["first_call_started", "caller", "first_call_id", "caller_id"],
    ["first_call_id"],
  );
  upsert({ caller_id: 3, caller: "+1", first_call_id: 7, first_call_started: null });
  upsert({ caller_id: 3, caller: "+2", first_call_id: 8, first_call_started: "later" });
  expect(warehouse.db.select().from(callers).all()).toEqual([
    { caller_id: 3, caller: "+1", first_call_id: 8, first_call_started: null },
  ]);
});
