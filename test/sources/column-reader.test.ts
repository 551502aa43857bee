import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import type { Steps } from "../../src/figures/groups.ts";
import { ColumnReader } from "../../src/sources/sqlite/call-columns.ts";
import { newWarehouse } from "../support/warehouses/warehouse.ts";

function* count(steps: number): Steps<number> {
  for (let step = 0; step < steps; step++) yield;
  return steps;
}

it("ColumnReader lets other work go on between its steps", async () => {
  using warehouse = newWarehouse();
  let turns = 0;
  const other = async () => {
    for (; turns < 5; turns++) await setImmediate();
  };
  const work = other();
  expect(await new ColumnReader(warehouse.sqlite, undefined).run(count(10))).toBe(10);
  expect(turns).toBe(5);
  await work;
});

it("ColumnReader ends before its last step if it is aborted meanwhile", async () => {
  using warehouse = newWarehouse();
  const aborting = new AbortController();
  const steps = count(10);
  const run = new ColumnReader(warehouse.sqlite, aborting.signal).run(steps);
  aborting.abort(new Error("not needed any more"));
  await expect(run).rejects.toThrow("not needed any more");
  expect(steps.next()).toEqual({ done: false, value: undefined });
});
