import { describe, expect, it } from "vitest";
import { LaterCheck, LONGEST_CHECK_MS } from "../../src/sync/check-later.ts";
import { damageTable } from "../support/warehouses/damage-table.ts";
import { closedWarehouse } from "../support/warehouses/warehouse.ts";

async function check(
  database: string,
  { signal, longestMs }: { signal?: AbortSignal; longestMs?: number } = {},
) {
  using later = new LaterCheck(database, longestMs);
  later.start();
  return await later.end(signal);
}

describe("LaterCheck", () => {
  it("replies whether the file is sound, damaged, or cannot be read", async () => {
    using warehouse = closedWarehouse([]);
    expect(await check(warehouse.database)).toEqual({ damage: null });
    damageTable(warehouse.database, "exported_rollups");
    expect(await check(warehouse.database)).toEqual({ damage: expect.stringContaining("btreeInitPage") });
    expect(await check(`${warehouse.database}.none`)).toEqual({ problem: expect.any(String) });
  });

  it("does not reply if it was not started, takes too long, or is stopped", async () => {
    using warehouse = closedWarehouse([]);
    const { database } = warehouse;
    using never = new LaterCheck(database);
    expect(await never.end(undefined)).toBeUndefined();
    expect(await check(database, { longestMs: 1 })).toBeUndefined();
    expect(await check(database, { signal: AbortSignal.abort() })).toBeUndefined();
    expect(await check(database, { signal: new AbortController().signal })).toEqual({ damage: null });
  });

  it("the longest check has time for 100 GB from a disk that reads 170 MB a second", () => {
    const seconds = LONGEST_CHECK_MS / 1000;
    expect(seconds * 170e6).toBeGreaterThan(100e9);
    expect(seconds).toBeLessThan(3600);
  });
});
