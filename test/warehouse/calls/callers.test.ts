import { describe, expect, it } from "vitest";
import { prepareUpsertCalls } from "../../../src/warehouse/calls/call-table.ts";
import { deleteUnusedCallers } from "../../../src/warehouse/calls/callers.ts";
import { trimFactLog } from "../../../src/warehouse/calls/fact-log.ts";
import { settleCallers } from "../../../src/warehouse/calls/first-load.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { logFacts } from "../../support/warehouses/log-facts.ts";
import { markGone, newWarehouse, readFacts, storeCalls } from "../../support/warehouses/warehouse.ts";

describe("callers", () => {
  const call = makeCall({ call_id: 1, caller_id: "+491", call_started: "2026-01-01T00:00:00.000Z" });
  const live = { first_call_id: 1, first_call_started: call.call_started };
  const unused = { first_call_id: null, first_call_started: null };

  it("keeps a caller while a gone call or a logged change refers to it", () => {
    using warehouse = newWarehouse();
    const read = () => readFacts(warehouse).callers;
    storeCalls(warehouse, [call]);
    markGone(warehouse, [1]);
    expect(read()).toEqual([{ caller: "+491", ...unused }]);
    logFacts(warehouse);
    storeCalls(warehouse, [{ ...call, call_id: 2, call_started: null }]);
    expect(read()).toEqual([{ caller: "+491", first_call_id: 2, first_call_started: null }]);
    storeCalls(warehouse, [{ ...call, call_id: 2, caller_id: null }]);
    storeCalls(warehouse, [{ ...call, caller_id: "+492" }]);
    const gone = { caller: "+492", ...unused };
    expect(read()).toEqual([{ caller: "+491", ...unused }, gone]);
    writeTransaction(warehouse, (tx) => {
      trimFactLog(tx, undefined);
      deleteUnusedCallers(tx);
    });
    expect(read()).toEqual([gone]);
  });

  it("remembers the callers of a first load that were committed, even if another process continues", () => {
    using warehouse = newWarehouse();
    const first = prepareUpsertCalls(warehouse, 1, { isFirstLoad: true });
    const second = prepareUpsertCalls(warehouse, 1, { isFirstLoad: true });
    const numbers: string[] = [];
    const write = (upsert: typeof first, caller_id: string) =>
      writeTransaction(warehouse, (tx) => {
        upsert(tx, [{ ...call, call_id: numbers.length, caller_id }]);
        if (caller_id === "+490") throw new Error("not now");
        numbers.push(caller_id);
      });
    write(first, "+491");
    expect(() => write(first, "+490")).toThrow("not now");
    for (const number of ["+492", "+493", "+491"]) write(first, number);
    for (const number of ["+494", "+491"]) write(second, number);
    for (const number of ["+495", "+494"]) write(first, number);
    expect(readFacts(warehouse).facts.map(({ caller }) => caller)).toEqual(numbers);
    writeTransaction(warehouse, settleCallers);
    expect(readFacts(warehouse).callers.map(({ caller }) => caller)).toEqual([...new Set(numbers)]);
  });

  it("deletes unused callers at the end of a first load, not before", () => {
    using warehouse = newWarehouse();
    const load = (caller_id: string) =>
      storeCalls(warehouse, [{ ...call, caller_id }], { isFirstLoad: true });
    load("+491");
    load("+492");
    expect(readFacts(warehouse).callers).toEqual([
      { caller: "+491", ...unused },
      { caller: "+492", ...unused },
    ]);
    writeTransaction(warehouse, settleCallers);
    expect(readFacts(warehouse).callers).toEqual([{ caller: "+492", ...live }]);
    // Its only call disappears while callers are not computed.
    const changed = { ...call, caller_id: "+492", disposition: "BUSY" };
    storeCalls(warehouse, [changed], { isFirstLoad: true });
    markGone(warehouse, [1]);
    writeTransaction(warehouse, settleCallers);
    expect(readFacts(warehouse).callers).toEqual([{ caller: "+492", ...unused }]);
  });
});
