import { expect, test } from "vitest";
import { callers } from "../../src/warehouse/calls/callers.ts";
import { prepareUpsert } from "../../src/warehouse/upsert.ts";
import { newWarehouse } from "../support/warehouse.ts";

test("an upsert binds each value to its column, whatever the order of the names, and keeps columns not to be updated", () => {
  using warehouse = newWarehouse();
  const upsert = prepareUpsert(
    warehouse,
    callers,
    ["calls", "first_call_started", "first_call_id", "caller"],
    ["calls"],
  );
  upsert({ caller: "+1", first_call_id: 7, first_call_started: null, calls: 2 });
  upsert({ caller: "+1", first_call_id: 8, first_call_started: "later", calls: 3 });
  expect(warehouse.db.select().from(callers).all()).toEqual([
    { caller: "+1", first_call_id: 7, first_call_started: null, calls: 3 },
  ]);
});
