import { expect, it } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { startRun } from "../../src/reports/start-run.ts";
import { newWarehouse } from "../support/warehouse.ts";

it("lets the error of a run stand where the ledger cannot take it", () => {
  using warehouse = newWarehouse();
  const report = { name: "weekly", account: null };
  const run = startRun(warehouse, report, { scheduledFor: null, clock: systemClock });
  warehouse.sqlite.exec("DROP TABLE deliveries; DROP TABLE report_runs");
  expect(() => run?.end("done", null)).toThrow("report_runs");
  expect(() => run?.fail(new Error("the first error"), false)).not.toThrow();
});
