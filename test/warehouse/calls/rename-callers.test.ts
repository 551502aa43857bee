import { describe, expect, it } from "vitest";
import { readFactLog } from "../../../src/warehouse/calls/fact-log.ts";
import { FACT_COLUMNS } from "../../../src/warehouse/calls/facts.ts";
import { settleCallers } from "../../../src/warehouse/calls/first-load.ts";
import { renameCallers } from "../../../src/warehouse/calls/rename-callers.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { logFacts } from "../../support/warehouses/log-facts.ts";
import { newWarehouse, readFacts, storeCalls } from "../../support/warehouses/warehouse.ts";

const NUMBERS = ["+491", "+492", null, "kept1"];

const write = (warehouse: Warehouse, disposition: string) =>
  storeCalls(
    warehouse,
    NUMBERS.map((caller_id, index) =>
      makeCall({
        call_id: 4 - index,
        caller_id,
        disposition,
        call_started: `2026-01-0${4 - index}T00:00:00.000Z`,
      }),
    ),
  );

const rename = (warehouse: Warehouse, toName: (caller: string) => string) =>
  writeTransaction(warehouse, (tx) => renameCallers(tx, toName));

/** Names in the facts, and in the log with the reason, in the order of `NUMBERS`. */
const readNames = (warehouse: Warehouse) => ({
  facts: readFacts(warehouse)
    .facts.map(({ caller }) => caller)
    .reverse(),
  log: warehouse.sqlite
    .prepare(
      "SELECT reason, caller FROM fact_changes LEFT JOIN callers USING (caller_id) ORDER BY reason DESC, call_id DESC",
    )
    .raw()
    .all(),
});

describe("renameCallers", () => {
  it.each([true, false])("renames callers without changing a fact; logged: %s", (isLogged) => {
    using warehouse = newWarehouse();
    const { sqlite } = warehouse;
    const log = isLogged ? logFacts(warehouse) : undefined;
    write(warehouse, "ANSWERED");
    write(warehouse, "BUSY");
    sqlite.exec(
      `CREATE TRIGGER touched BEFORE UPDATE OF ${FACT_COLUMNS.join(", ")} ON call_facts BEGIN SELECT RAISE(ABORT, 'touched'); END`,
    );
    rename(warehouse, (caller) => (caller === "kept1" ? caller : `named ${caller}`));
    const named = ["named +491", "named +492", null, "kept1"];
    expect(readNames(warehouse)).toEqual({
      facts: named,
      log: isLogged ? [...named.map(() => ["late", null]), ...named.map((name) => ["corrected", name])] : [],
    });
    expect(readFacts(warehouse).callers.map(({ caller }) => caller)).toEqual(named.filter(Boolean).sort());
    expect(readFactLog(warehouse)).toBe(log);
  });

  it("merges callers with the same name before a first load has ended", () => {
    using warehouse = newWarehouse();
    storeCalls(
      warehouse,
      [1, 2, 3].map((id) => makeCall({ call_id: id, caller_id: `+49${id}` })),
      { isFirstLoad: true },
    );
    rename(warehouse, (caller) => (caller === "+493" ? caller : "new"));
    expect(readFacts(warehouse).facts.map(({ caller }) => caller)).toEqual(["new", "new", "+493"]);
    writeTransaction(warehouse, settleCallers);
    expect(readFacts(warehouse).callers.map(({ caller }) => caller)).toEqual(["+493", "new"]);
  });

  it.each([
    ["to a third's name", (caller: string) => (caller === "+491" ? "kept1" : caller), ["kept1", "+492"]],
    ["to one new name", (caller: string) => (caller === "kept1" ? caller : "new"), ["new", "new"]],
  ])("merges callers with the same name without logging it: %s", (_, toName, [first, second]) => {
    using warehouse = newWarehouse();
    logFacts(warehouse);
    write(warehouse, "ANSWERED");
    write(warehouse, "BUSY");
    rename(warehouse, toName);
    const named = [first, second, null, "kept1"];
    const { callers, facts } = readFacts(warehouse);
    expect(readNames(warehouse)).toEqual({
      facts: named,
      log: [...named.map(() => ["late", null]), ...named.map((name) => ["corrected", name])],
    });
    const names = [...new Set(named.flatMap((name) => name ?? []))].sort();
    const firsts = names.map((name) => 4 - named.lastIndexOf(name));
    expect(callers.map(({ caller, first_call_id }) => [caller, first_call_id])).toEqual(
      names.map((name, index) => [name, firsts[index]]),
    );
    expect(facts.flatMap(({ call_id, is_first_call }) => (is_first_call ? call_id : []))).toEqual(
      firsts.sort(),
    );
    write(warehouse, "FAILED");
    expect(readNames(warehouse).log).toHaveLength(12);
  });
});
