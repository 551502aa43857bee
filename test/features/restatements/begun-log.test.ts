import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readExportedRollup, rememberRollup } from "../../../src/features/restatements/exported-rollups.ts";
import { beginFactLog, pruneFactLog } from "../../../src/features/restatements/logged-facts.ts";
import { fact_changes, readFactLog, readFactState } from "../../../src/warehouse/calls/fact-log.ts";
import { settleCallers } from "../../../src/warehouse/calls/first-load.ts";
import { openExistingWarehouse } from "../../../src/warehouse/file/open.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { readTriggers } from "../../support/warehouses/log-facts.ts";
import { newWarehouse, openNewWarehouse, readFacts, storeCalls } from "../../support/warehouses/warehouse.ts";

const write = (warehouse: Warehouse, ...calls: Parameters<typeof makeCall>[0][]) =>
  storeCalls(
    warehouse,
    calls.map((call) => makeCall(call)),
  );

const ROLLUP = {
  question: "{}",
  metrics: "[]",
  range_from: null,
  range_to: null,
  first_day: null,
  last_day: null,
  settled_until: "2026-01-01T00:00:00.000Z",
  rules_id: 1,
  run_id: 1,
  command: "export source",
};

/** Remembers a file like an export that wrote it now. */
function remember(warehouse: Warehouse, path: string, log: number | undefined, exportedAt: string): void {
  const { changeId } = readFactState(warehouse);
  const rollup = { path, contents: "source", rollup: { ...ROLLUP, change_id: changeId }, rows: [] };
  writeTransaction(warehouse, (tx) => {
    rememberRollup(tx, rollup, { log, exportedAt });
    pruneFactLog(tx, Date.parse(exportedAt));
  });
}

const first = {
  call_id: 1,
  caller_id: "+491",
  call_started: "2026-01-02T00:00:00.000Z",
  disposition: "ANSWERED",
};

describe("the log of facts", () => {
  it("forgets exported rollups if changes were not logged for a time", () => {
    using warehouse = newWarehouse();
    remember(warehouse, "/out/source.csv", beginFactLog(warehouse), "2026-11-01T00:00:00.000Z");
    beginFactLog(warehouse);
    const place = { path: "/out/source.csv", contents: "source" };
    expect(readExportedRollup(warehouse, place)).toMatchObject(place);
    warehouse.sqlite.exec("DROP TRIGGER fact_has_changed");
    beginFactLog(warehouse);
    expect(readExportedRollup(warehouse, place)).toBeUndefined();
  });

  it("prevents remembering figures if it ended while they were computed, even if it has begun again", () => {
    using warehouse = newWarehouse();
    const log = beginFactLog(warehouse);
    writeTransaction(warehouse, (tx) => pruneFactLog(tx, 0));
    expect(beginFactLog(warehouse)).not.toBe(log);
    remember(warehouse, "/a.csv", log, "2026-01-01T00:00:00.000Z");
    expect(warehouse.sqlite.prepare("SELECT count(*) FROM exported_rollups").pluck().get()).toBe(0);
  });

  it("the log remains the same while each change of a fact is logged as in this version", () => {
    using warehouse = newWarehouse();
    const { sqlite } = warehouse;
    expect(readFactLog(warehouse)).toBeUndefined();
    const names = ["fact_has_changed", "fact_is_gone", "fact_is_new"];
    let log = 1;
    const begin = () => {
      expect([beginFactLog(warehouse), readFactLog(warehouse)]).toEqual([log, log]);
      expect(readTriggers(warehouse).map(({ name }) => name)).toEqual(names);
      log++;
    };
    begin();
    for (const name of names) {
      sqlite.exec(`DROP TRIGGER ${name}`);
      expect(readFactLog(warehouse)).toBeUndefined();
      begin();
      // As another version might have it.
      sqlite.exec(
        `DROP TRIGGER ${name}; CREATE TRIGGER ${name} AFTER INSERT ON call_facts BEGIN SELECT 1; END`,
      );
      expect(readFactLog(warehouse)).toBeUndefined();
      begin();
    }
    sqlite.exec("CREATE TRIGGER other AFTER INSERT ON call_facts BEGIN SELECT 1; END");
    expect(readFactLog(warehouse)).toBe(log - 1);
    sqlite.exec("DELETE FROM counts WHERE name = 'fact_logs'");
    expect(readFactLog(warehouse)).toBeUndefined();
  });

  it("the log is found without waiting for another process's long write", () => {
    using folder = makeTempFolder();
    const path = join(folder.path, "calls.db");
    using warehouse = openNewWarehouse(path);
    const log = beginFactLog(warehouse);
    using other = openExistingWarehouse(path);
    warehouse.sqlite.pragma("busy_timeout = 0");
    other.sqlite.exec("BEGIN IMMEDIATE");
    expect(beginFactLog(warehouse)).toBe(log);
    other.sqlite.exec("DROP TRIGGER fact_is_new; COMMIT; BEGIN IMMEDIATE");
    expect(() => beginFactLog(warehouse)).toThrow("locked");
  });

  it("begins once when two processes begin it at the same time", () => {
    using folder = makeTempFolder();
    const path = join(folder.path, "calls.db");
    using warehouse = openNewWarehouse(path);
    using other = openNewWarehouse(path);
    // The other one begins after this one has looked, and before it has the lock.
    let begun: number | undefined;
    const slow: Warehouse = {
      ...warehouse,
      assertInPlace: () => {
        begun = beginFactLog(other);
        remember(other, "/a.csv", begun, "2026-01-01T00:00:00.000Z");
      },
    };
    expect(beginFactLog(slow)).toBe(1);
    expect(begun).toBe(1);
    expect(readExportedRollup(warehouse, { path: "/a.csv", contents: "source" })).toBeDefined();
  });

  it("the log is pruned after exactly 400 days, and explains what was written since", () => {
    using warehouse = newWarehouse();
    write(warehouse, first);
    const log = beginFactLog(warehouse);
    const days = (count: number) => new Date(Date.parse("2026-01-01T00:00:00.000Z") + count * 86_400_000);
    const change = (duration: number) => write(warehouse, { ...first, duration });
    const changeIds = () => warehouse.sqlite.prepare("SELECT change_id FROM fact_changes").pluck().all();
    remember(warehouse, "/a.csv", log, days(0).toISOString());
    change(1);
    change(2);
    remember(warehouse, "/b.csv", log, days(1).toISOString());
    change(3);
    const isThere = () =>
      ["/a.csv", "/b.csv"].map(
        (path) => readExportedRollup(warehouse, { path, contents: "source" }) !== undefined,
      );
    const prune = (ms: number) => writeTransaction(warehouse, (tx) => pruneFactLog(tx, ms));
    prune(days(400).getTime());
    expect([isThere(), changeIds()]).toEqual([
      [true, true],
      [1, 2, 3],
    ]);
    prune(days(400).getTime() + 1);
    expect([isThere(), changeIds(), readFactLog(warehouse)]).toEqual([[false, true], [3], log]);
    prune(days(401).getTime() + 1);
    expect([isThere(), changeIds(), readFactLog(warehouse)]).toEqual([[false, false], [], undefined]);
    expect(readTriggers(warehouse)).toEqual([]);
    change(4);
    prune(days(402).getTime());
    expect(changeIds()).toEqual([]);
  });

  it("does not change other logged changes if it never began", () => {
    using warehouse = newWarehouse();
    warehouse.db.insert(fact_changes).values({ call_id: 1, changed_at: "t", reason: "late" }).run();
    writeTransaction(warehouse, (tx) => pruneFactLog(tx, 0));
    expect(warehouse.db.select().from(fact_changes).all()).toHaveLength(1);
  });

  it("keeps unused callers of a first load that is not complete, though it is pruned", () => {
    using warehouse = newWarehouse();
    const load = (caller_id: string) =>
      storeCalls(warehouse, [makeCall({ ...first, caller_id })], { isFirstLoad: true });
    const callers = () => readFacts(warehouse).callers.map(({ caller }) => caller);
    load("+491");
    beginFactLog(warehouse);
    load("+492");
    writeTransaction(warehouse, (tx) => pruneFactLog(tx, 0));
    expect(callers()).toEqual(["+491", "+492"]);
    writeTransaction(warehouse, settleCallers);
    expect(callers()).toEqual(["+492"]);
  });
});
