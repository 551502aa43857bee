import { describe, expect, it } from "vitest";
import { beginFactLog, pruneFactLog } from "../../../src/restatements/logged-facts.ts";
import { settleCallers } from "../../../src/warehouse/calls/first-load.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import { makeCall } from "../../support/calls.ts";
import { markGone, newWarehouse, readFacts, storeCalls } from "../../support/warehouse.ts";

describe("callers", () => {
  const call = makeCall({ call_id: 1, caller_id: "+491", call_started: "2026-01-01T00:00:00.000Z" });
  const live = { first_call_id: 1, first_call_started: call.call_started };
  const unused = { first_call_id: null, first_call_started: null };

  it("keeps a caller for as long as a gone call or a logged change refers to it", () => {
    using warehouse = newWarehouse();
    const read = () => readFacts(warehouse).callers;
    storeCalls(warehouse, [call]);
    markGone(warehouse, [1]);
    expect(read()).toEqual([{ caller: "+491", ...unused }]);
    beginFactLog(warehouse);
    storeCalls(warehouse, [{ ...call, call_id: 2, call_started: null }]);
    expect(read()).toEqual([{ caller: "+491", first_call_id: 2, first_call_started: null }]);
    storeCalls(warehouse, [{ ...call, call_id: 2, caller_id: null }]);
    storeCalls(warehouse, [{ ...call, caller_id: "+492" }]);
    const gone = { caller: "+492", ...unused };
    expect(read()).toEqual([{ caller: "+491", ...unused }, gone]);
    // No rollup is remembered, so that the log ends.
    writeTransaction(warehouse, (tx) => pruneFactLog(tx, 0));
    expect(read()).toEqual([gone]);
  });

  it.each(["+492", null])("deletes a caller whose only call is now of %s", (caller_id) => {
    using warehouse = newWarehouse();
    storeCalls(warehouse, [call]);
    storeCalls(warehouse, [{ ...call, caller_id }]);
    expect(readFacts(warehouse).callers).toEqual(caller_id === null ? [] : [{ caller: caller_id, ...live }]);
  });

  it("deletes unused callers when a first load ends, but not before, whatever is trimmed meanwhile", () => {
    using warehouse = newWarehouse();
    const load = (caller_id: string) =>
      storeCalls(warehouse, [{ ...call, caller_id }], { isFirstLoad: true });
    load("+491");
    load("+492");
    writeTransaction(warehouse, (tx) => pruneFactLog(tx, 0));
    expect(readFacts(warehouse).callers).toEqual([
      { caller: "+491", ...unused },
      { caller: "+492", ...unused },
    ]);
    writeTransaction(warehouse, settleCallers);
    expect(readFacts(warehouse).callers).toEqual([{ caller: "+492", ...live }]);
  });
});
