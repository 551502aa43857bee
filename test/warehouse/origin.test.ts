import { describe, expect, it } from "vitest";
import { assertOrigin, bindOrigin } from "../../src/warehouse/origin.ts";
import { writeTransaction } from "../../src/warehouse/transaction.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import { newWarehouse } from "../support/warehouses/warehouse.ts";

const baseUrl = new URL("https://api.example.com");

/** A warehouse that was read with an organization unit. */
function openWith(orgUnitId: string | undefined, calls = [makeCall()]) {
  const warehouse = newWarehouse(calls);
  const service = { baseUrl, token: "t", orgUnitId };
  writeTransaction(warehouse, (tx) => bindOrigin(tx, service, "2026-11-20T15:00:00.000Z"));
  return warehouse;
}

describe("assertOrigin", () => {
  it.each([
    { before: "7", now: "8", given: "with org_unit_id 8", held: "with org_unit_id 7", same: "use 7 as" },
    {
      before: "7",
      now: undefined,
      given: "without org_unit_id",
      held: "with org_unit_id 7",
      same: "use 7 as",
    },
    {
      before: undefined,
      now: "7",
      given: "with org_unit_id 7",
      held: "without org_unit_id",
      same: "leave out",
    },
  ])("refuses to change the unit from $before to $now, even of a rebound warehouse", (row) => {
    const { before, now, given, held, same } = row;
    using warehouse = openWith(before);
    for (const isRebound of [false, true]) {
      expect(() => assertOrigin(warehouse, { baseUrl, orgUnitId: now }, isRebound)).toThrow(
        expect.objectContaining({
          exitCode: 2,
          message: `Cannot use ${warehouse.path} ${given}: its calls were read ${held}`,
          hint: expect.stringContaining(`${same} CALLTALLY_ORG_UNIT_ID`),
        }),
      );
    }
    assertOrigin(warehouse, { baseUrl, orgUnitId: before });
  });

  it("accepts another unit while the warehouse has no calls", () => {
    using warehouse = openWith("7", []);
    assertOrigin(warehouse, { baseUrl, orgUnitId: "8" });
  });
});
