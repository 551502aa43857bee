import { expect, it } from "vitest";
import { countChangedDays } from "../../../src/features/notices/watched-days.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import { ListedCalls, problemsOf } from "../../operate/verify/warehouses.ts";
import { newWarehouse } from "../../support/warehouses/warehouse.ts";

it("verify finds no problem when calls were counted for notices", async () => {
  using warehouse = newWarehouse();
  await new ListedCalls(warehouse).sync("full");
  const untilMs = Date.parse("2026-11-02T00:00:00.000Z");
  writeTransaction(warehouse, (tx) => countChangedDays(tx, untilMs - 86_400_000, untilMs));
  const days = warehouse.sqlite.prepare("SELECT DISTINCT day FROM watched_days ORDER BY day").pluck().all();
  expect(days).toEqual(["2026-11-01", "2026-11-02"]);
  expect(await problemsOf(warehouse)).toEqual([]);
});
