import { describe, expect, it } from "vitest";
import type { Row } from "../../src/service/paging/slice.ts";
import { type Claim, claimWarehouse } from "../../src/sync/claim-warehouse.ts";
import { isBoundTo, readOrigin } from "../../src/warehouse/origin.ts";
import { writeTransaction } from "../../src/warehouse/transaction.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import { newWarehouse, storeCalls } from "../support/warehouses/warehouse.ts";

const CLAIM: Claim = { baseUrl: new URL("https://api.example.com/x/"), token: "mine", isRebound: false };
const OTHER = { ...CLAIM, token: "other" };
const AT = "2026-11-20T15:00:00.000Z";
const EARLIER = "2026-11-19T15:00:00.000Z";

const row = (id: number | null, started: string | null): Row => ({ id, started, name: null });

/** A warehouse with call 7 of `EARLIER` and call 8 without a time, bound to the given service. */
function openWith(bound: Claim | undefined, calls = 2) {
  const warehouse = newWarehouse();
  const known = [makeCall({ call_id: 7, call_started: EARLIER }), makeCall({ call_id: 8 })];
  warehouse.sqlite.transaction(() => storeCalls(warehouse, known.slice(0, calls)))();
  if (bound !== undefined)
    writeTransaction(warehouse, (tx) => claimWarehouse(tx, { ...bound, isRebound: true }, [], EARLIER));
  return warehouse;
}

describe("claimWarehouse", () => {
  it("binds a new warehouse with its first calls, not with an empty page", () => {
    using warehouse = openWith(undefined, 0);
    const { isRebound: _, ...service } = CLAIM;
    writeTransaction(warehouse, (tx) => claimWarehouse(tx, CLAIM, [], EARLIER));
    expect(readOrigin(warehouse)).toMatchObject({ base_url: null, token_mark: null });
    writeTransaction(warehouse, (tx) => claimWarehouse(tx, CLAIM, [row(1, null)], AT));
    expect(readOrigin(warehouse)).toMatchObject({ base_url: "https://api.example.com/x" });
    expect(isBoundTo(warehouse, service)).toBe(true);
    expect(isBoundTo(warehouse, { ...service, token: "other" })).toBe(false);
  });

  it.each([
    { title: "a stored call with the same start", rows: [row(1, AT), row(7, EARLIER)], isTaken: true },
    { title: "a stored call with another start", rows: [row(7, AT)], isTaken: false },
    { title: "another call with the same start", rows: [row(1, EARLIER)], isTaken: false },
    { title: "a stored call, both without a start", rows: [row(8, null)], isTaken: false },
    { title: "a row without an id", rows: [row(null, EARLIER)], isTaken: false },
    { title: "newer calls only", rows: [row(1, AT)], isTaken: false },
    { title: "no calls", rows: [], isTaken: false },
  ])("accepts another token with $title: $isTaken", ({ rows, isTaken }) => {
    using warehouse = openWith(CLAIM);
    const claim = () => writeTransaction(warehouse, (tx) => claimWarehouse(tx, OTHER, rows, AT));
    if (isTaken) claim();
    else {
      expect(claim).toThrow(
        expect.objectContaining({
          exitCode: 2,
          message: `Cannot sync into ${warehouse.path}: the token changed since the last sync, and none of the ${rows.length} calls read from https://api.example.com/x is known`,
          hint: "It looks like another account: set CALLTALLY_DATABASE to another file. If it is the same account: calltally sync --rebind.",
        }),
      );
    }
    expect(isBoundTo(warehouse, OTHER)).toBe(isTaken);
    expect(isBoundTo(warehouse, CLAIM)).toBe(!isTaken);
    writeTransaction(warehouse, (tx) => claimWarehouse(tx, { ...OTHER, isRebound: true }, rows, AT));
    expect(isBoundTo(warehouse, OTHER)).toBe(true);
  });

  it("changes nothing once the warehouse is bound", () => {
    using warehouse = openWith(CLAIM);
    const before = readOrigin(warehouse);
    writeTransaction(warehouse, (tx) => claimWarehouse(tx, CLAIM, [row(99, AT)], AT));
    expect(readOrigin(warehouse)).toEqual(before);
  });
});
