import { expect, it } from "vitest";
import { forgetCallers } from "../../../src/operate/forget/forget-callers.ts";
import { locked, newWarehouse } from "../../support/warehouses/warehouse.ts";

it("forgetCallers removes one of two exported rows whose keys become equal", () => {
  using warehouse = newWarehouse();
  const { sqlite } = warehouse;
  const callers = ["+4930123456", "+4930123457"];
  sqlite.pragma("foreign_keys = OFF");
  const insert = sqlite.prepare(
    "INSERT INTO exported_rows (exported_id, period, key, figures) VALUES (1, '2026', ?, ?)",
  );
  for (const caller of callers) insert.run(`["${caller}"]`, caller);
  sqlite.pragma("foreign_keys = ON");
  forgetCallers(
    locked(warehouse),
    callers.map((caller) => ({ caller })),
    { nowMs: Date.parse("2026-11-20T12:00:00.000Z"), isUnknownAllowed: true },
  );
  expect(sqlite.prepare("SELECT key FROM exported_rows").all()).toEqual([{ key: '["+9999999999"]' }]);
});
