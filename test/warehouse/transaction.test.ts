import { describe, expect, expectTypeOf, it } from "vitest";
import { connect, openWarehouse } from "../../src/warehouse/file/open.ts";
import { writeTransaction } from "../../src/warehouse/transaction.ts";
import type { Reader, Warehouse } from "../../src/warehouse/warehouse.ts";
import { newWarehouse } from "../support/warehouses/warehouse.ts";

const insertCall = ({ sqlite }: Warehouse, id: number) =>
  sqlite
    .prepare("INSERT INTO calls (call_id, row_hash, first_run_id, changed_run_id) VALUES (?, '', 1, 1)")
    .run(id);
const readIds = ({ sqlite }: Reader) => sqlite.prepare("SELECT call_id FROM calls").pluck().all();

describe("writeTransaction", () => {
  it("commits everything and returns the result of the work", () => {
    using warehouse = newWarehouse();
    using reader = connect(warehouse);
    const result = writeTransaction(warehouse, () => {
      insertCall(warehouse, 1);
      insertCall(warehouse, 2);
      expect(readIds(reader)).toEqual([]);
      return "done" as const;
    });
    expectTypeOf(result).toEqualTypeOf<"done">();
    expect(result).toBe("done");
    expect(readIds(reader)).toEqual([1, 2]);
  });

  it("rolls everything back when the work throws, and rethrows the error", () => {
    using warehouse = newWarehouse();
    insertCall(warehouse, 1);
    const reason = new Error("no more");
    const failing = () => {
      insertCall(warehouse, 2);
      warehouse.sqlite.exec("DELETE FROM calls WHERE call_id = 1");
      throw reason;
    };
    expect(() => writeTransaction(warehouse, failing)).toThrow(reason);
    expect(readIds(warehouse)).toEqual([1]);
    expect(warehouse.sqlite.inTransaction).toBe(false);
  });

  it("takes the write lock at its start", () => {
    using warehouse = newWarehouse();
    using other = openWarehouse(warehouse.path);
    other.sqlite.pragma("busy_timeout = 0");
    writeTransaction(warehouse, () => {
      expect(() => insertCall(other, 1)).toThrow("database is locked");
    });
    expect(insertCall(other, 1).changes).toBe(1);
  });

  it("refuses asynchronous work and commits nothing of it", () => {
    using warehouse = newWarehouse();
    // @ts-expect-error: work that continues after the commit
    const run = () => writeTransaction(warehouse, async () => void insertCall(warehouse, 1));
    expect(run).toThrow("cannot return a promise");
    expect(readIds(warehouse)).toEqual([]);
  });
});
