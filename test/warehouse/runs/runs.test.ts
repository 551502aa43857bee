import { getTableColumns } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import {
  countDistinctCalls,
  deletePages,
  insertPage,
  readPages as readPagesOfRun,
  type SyncPage,
  sync_pages,
  trimPages,
} from "../../../src/warehouse/runs/page-table.ts";
import {
  readLastDoneRun,
  readRuns,
  startRun,
  sync_runs,
  updateRun,
} from "../../../src/warehouse/runs/runs.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";
import { newWarehouse } from "../../support/warehouses/warehouse.ts";

const startedAt = "2026-10-01T00:00:00.000Z";
const start = (warehouse: Warehouse) =>
  startRun(warehouse, { started_at: startedAt, mode: "full", plan_reason: "a test", pid: 1 });

const BLANK = Object.fromEntries(Object.keys(getTableColumns(sync_runs)).map((name) => [name, null]));
const runningRow = (run_id: number) => ({
  ...BLANK,
  run_id,
  started_at: startedAt,
  mode: "full",
  status: "running",
  plan_reason: "a test",
  pid: 1,
});

const makePage = (run_id: number, seq: number, ids: (number | null)[] = []): SyncPage => ({
  run_id,
  seq,
  offset: seq * 100,
  row_count: ids.length,
  total: 1000,
  call_ids: JSON.stringify(ids),
  order_members: JSON.stringify(ids.map(() => [null, null])),
  is_old: false,
  request_id: `request ${seq}`,
  fetched_at: startedAt,
});

const readPages = ({ db }: Warehouse) =>
  db.select().from(sync_pages).orderBy(sync_pages.run_id, sync_pages.seq).all();

describe("startRun, updateRun", () => {
  it("update a run from its start to its end, and no other run", () => {
    using warehouse = newWarehouse();
    expect([start(warehouse), start(warehouse)]).toEqual([1, 2]);
    const outcome = {
      finished_at: "2026-10-01T00:01:00.000Z",
      status: "done",
      verdict: "exact",
      calls_read: 0,
      failed_request_ids: "[]",
    } as const;
    expect(updateRun(warehouse, 1, outcome)).toEqual({ ...runningRow(1), ...outcome });
    expect(readRuns(warehouse, 5)).toEqual([runningRow(2), { ...runningRow(1), ...outcome }]);
    expect(readRuns(warehouse, 1)).toEqual([runningRow(2)]);
  });
});

describe("readLastDoneRun", () => {
  it("skips runs that did not finish", () => {
    using warehouse = newWarehouse();
    expect(readLastDoneRun(warehouse)).toBeUndefined();
    for (const status of ["done", "done", "failed", "interrupted", "running"] as const) {
      updateRun(warehouse, start(warehouse), { status });
    }
    expect(readLastDoneRun(warehouse)).toEqual({ ...runningRow(2), status: "done" });
  });
});

describe("readPages, deletePages", () => {
  it("read a run's pages in the order of the walk, and delete only that run's pages", () => {
    using warehouse = newWarehouse();
    const [run, other] = [start(warehouse), start(warehouse)];
    const pages = [makePage(run, 0, [1]), makePage(run, 1, [2]), makePage(run, 10, [null])];
    for (const page of [...pages.toReversed(), makePage(other, 0, [3])])
      writeTransaction(warehouse, (tx) => insertPage(tx, page));
    expect(readPagesOfRun(warehouse, run)).toEqual(pages);
    deletePages(warehouse, run);
    expect(readPages(warehouse)).toEqual([makePage(other, 0, [3])]);
  });
});

describe("countDistinctCalls", () => {
  it("counts a call on several pages once, and ignores unreadable ones", () => {
    using warehouse = newWarehouse();
    const [run, other] = [start(warehouse), start(warehouse)];
    writeTransaction(warehouse, (tx) =>
      insertPage(tx, makePage(run, 0, [1, 2, null, -3, Number.MAX_SAFE_INTEGER])),
    );
    writeTransaction(warehouse, (tx) =>
      insertPage(tx, makePage(run, 1, [-3, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER - 1, null])),
    );
    writeTransaction(warehouse, (tx) => insertPage(tx, makePage(run, 2, [])));
    writeTransaction(warehouse, (tx) => insertPage(tx, makePage(other, 0, [7, 8])));
    expect(countDistinctCalls(warehouse, run)).toBe(5);
    expect(countDistinctCalls(warehouse, other)).toBe(2);
    expect(countDistinctCalls(warehouse, 3)).toBe(0);
  });
});

describe("trimPages", () => {
  it("drops the ids of the pages up to this run, and the pages of runs a hundred back", () => {
    using warehouse = newWarehouse();
    const runs = Array.from({ length: 102 }, () => start(warehouse));
    const pages = runs.flatMap((run) => [makePage(run, 0, [1, 2]), makePage(run, 1, [2, 3])]);
    for (const page of pages) writeTransaction(warehouse, (tx) => insertPage(tx, page));
    trimPages(warehouse, 101);
    expect(readPages(warehouse)).toEqual(
      pages
        .filter(({ run_id }) => run_id > 1)
        .map((page) => (page.run_id <= 101 ? { ...page, call_ids: null, order_members: null } : page)),
    );
    expect(readRuns(warehouse, 200)).toHaveLength(102);
  });
});
