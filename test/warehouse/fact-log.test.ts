import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../src/attribution/attribution-rules.ts";
import { prepareUpsertCalls } from "../../src/warehouse/call-table.ts";
import { readExportedRollup, rememberRollups } from "../../src/warehouse/exported-rollups.ts";
import { beginFactLog, pruneFactLog, readFactLog, readFactState } from "../../src/warehouse/fact-log.ts";
import { clearAbsence } from "../../src/warehouse/gone.ts";
import type { Warehouse } from "../../src/warehouse/open.ts";
import { writeTransaction } from "../../src/warehouse/transaction.ts";
import { makeCall } from "../calls.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { markGone, setRules } from "./facts.ts";
import { openNewWarehouse } from "./new-warehouse.ts";

const write = (warehouse: Warehouse, ...calls: Parameters<typeof makeCall>[0][]) =>
  writeTransaction(warehouse, () => prepareUpsertCalls(warehouse, 1)(calls.map((call) => makeCall(call))));

const readLog = ({ sqlite }: Warehouse) =>
  sqlite
    .prepare<[], unknown[]>(
      "SELECT call_id, reason, is_live, outcome, is_first_call, caller, rules_id FROM fact_changes",
    )
    .raw()
    .all();

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
};

/** Remembers a file as an export does that wrote it now. */
function remember(warehouse: Warehouse, path: string, log: number | undefined, exportedAt: string): void {
  const { changeId } = readFactState(warehouse);
  const rollup = { path, contents: "source", rollup: { ...ROLLUP, change_id: changeId }, rows: [] };
  writeTransaction(warehouse, () => rememberRollups(warehouse, [rollup], { log, exportedAt }));
}

const first = {
  call_id: 1,
  caller_id: "+491",
  call_started: "2026-01-02T00:00:00.000Z",
  disposition: "ANSWERED",
};

describe("the log of facts", () => {
  it("knows of no rollup any more where changes were not logged for a time", () => {
    using folder = makeTempFolder();
    using warehouse = openNewWarehouse(join(folder.path, "calls.db"));
    remember(warehouse, "/out/source.csv", beginFactLog(warehouse), "2026-11-01T00:00:00.000Z");
    beginFactLog(warehouse);
    const place = { path: "/out/source.csv", contents: "source" };
    expect(readExportedRollup(warehouse, place)).toMatchObject(place);
    warehouse.sqlite.exec("DROP TRIGGER fact_has_changed");
    beginFactLog(warehouse);
    expect(readExportedRollup(warehouse, place)).toBeUndefined();
  });

  it("has what was true of a call before each change, and why it changed", () => {
    using folder = makeTempFolder();
    using warehouse = openNewWarehouse(join(folder.path, "calls.db"));
    write(warehouse, first);
    beginFactLog(warehouse);
    write(warehouse, first, { ...first, call_id: 2, summary: "said" });
    write(warehouse, { ...first, summary: "said" });
    write(warehouse, { ...first, disposition: "BUSY" });
    write(warehouse, { ...first, call_id: 3, call_started: "2026-01-01T00:00:00.000Z" });
    writeTransaction(warehouse, () => markGone(warehouse, [2]));
    writeTransaction(warehouse, () => clearAbsence(warehouse, [2]));
    setRules(warehouse, { ...DEFAULT_RULES, missed: [] });
    setRules(warehouse, { ...DEFAULT_RULES, missed: [], qualified_seconds: 61 });
    const rulesId = readFactState(warehouse).rulesId - 1;
    warehouse.sqlite.exec("DELETE FROM calls WHERE call_id = 3");
    const answered = [1, "answered"];
    expect(readLog(warehouse)).toEqual([
      [2, "late", null, null, null, null, null],
      [1, "corrected", ...answered, 1, "+491", null],
      [3, "late", null, null, null, null, null],
      [1, "first_call", 1, "missed", 1, "+491", null],
      [2, "gone", ...answered, 0, "+491", null],
      [2, "returned", 0, "answered", 0, "+491", null],
      [1, "rules", 1, "missed", 0, "+491", rulesId],
      [3, "gone", ...answered, 1, "+491", null],
    ]);
  });

  it("is kept only while an export is remembered, and no further back than the earliest of them", () => {
    using folder = makeTempFolder();
    using warehouse = openNewWarehouse(join(folder.path, "calls.db"));
    write(warehouse, first);
    expect([readLog(warehouse), readFactLog(warehouse)]).toEqual([[], undefined]);

    const log = beginFactLog(warehouse);
    expect(beginFactLog(warehouse)).toBe(log);
    remember(warehouse, "/a.csv", log, "2026-01-01T00:00:00.000Z");
    write(warehouse, { ...first, disposition: "BUSY" });
    remember(warehouse, "/b.csv", log, "2026-02-01T00:00:00.000Z");
    write(warehouse, { ...first, disposition: "FAILED" });
    write(warehouse, { ...first, disposition: "ANSWERED" });
    expect(readLog(warehouse)).toHaveLength(3);
    remember(warehouse, "/a.csv", log, "2026-03-01T00:00:00.000Z");
    expect(readLog(warehouse)).toHaveLength(2);

    const prune = (now: string) =>
      writeTransaction(warehouse, () => pruneFactLog(warehouse, Date.parse(now)));
    prune("2027-03-01T00:00:00.000Z");
    expect(readLog(warehouse)).toHaveLength(2);
    prune("2027-03-15T00:00:00.000Z");
    expect([readLog(warehouse), readFactLog(warehouse)]).toEqual([[], log]);
    prune("2027-06-01T00:00:00.000Z");
    expect(readFactLog(warehouse)).toBeUndefined();
    write(warehouse, { ...first, disposition: "BUSY" });
    expect(readLog(warehouse)).toEqual([]);
  });

  it("that ended while figures were made keeps these from being remembered, though it has begun again", () => {
    using folder = makeTempFolder();
    using warehouse = openNewWarehouse(join(folder.path, "calls.db"));
    const log = beginFactLog(warehouse);
    writeTransaction(warehouse, () => pruneFactLog(warehouse, 0));
    expect(beginFactLog(warehouse)).not.toBe(log);
    remember(warehouse, "/a.csv", log, "2026-01-01T00:00:00.000Z");
    expect(warehouse.sqlite.prepare("SELECT count(*) FROM exported_rollups").pluck().get()).toBe(0);
  });
});
