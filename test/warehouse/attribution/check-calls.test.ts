import { describe, expect, it } from "vitest";
import { checkCalls, findDamagedCalls } from "../../../src/warehouse/attribution/check-calls.ts";
import { BATCH_ROWS } from "../../../src/warehouse/calls/each-call.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { newWarehouse } from "../../support/warehouses/warehouse.ts";

describe("calls in the last of several batches", () => {
  const calls = Array.from({ length: 2 * BATCH_ROWS + 1 }, (_, index) => makeCall({ call_id: index + 1 }));
  const last = calls.length;

  it("findDamagedCalls and checkCalls find a changed call there", async () => {
    using warehouse = newWarehouse(calls);
    expect(await findDamagedCalls(warehouse)).toEqual([]);
    expect(await checkCalls(warehouse)).toMatchObject({ checked: last, damaged: [], others: [] });

    warehouse.sqlite.exec(`UPDATE calls SET tracking_number = '+1' WHERE call_id IN (2, ${last})`);
    expect(await findDamagedCalls(warehouse)).toEqual([2, last]);
    expect(await checkCalls(warehouse)).toMatchObject({ checked: last, damaged: [2, last] });
  });
});
