import { expect, it } from "vitest";
import { loadSettings } from "../../src/config/load-settings.ts";
import { checkRuns } from "../../src/doctor/check-runs.ts";
import { startRun, updateRun } from "../../src/warehouse/runs/runs.ts";
import { writeTransaction } from "../../src/warehouse/transaction.ts";
import { newWarehouse } from "../support/warehouses/warehouse.ts";

const STARTED_AT = "2026-11-20T11:00:00.000Z";

it.each([
  { error: "The API did not respond", state: "warn", hint: "Run `calltally sync` again." },
  // The file is sound again: otherwise its note of damage is what doctor reports.
  {
    error: "Cannot use calls.db: the file is damaged: database disk image is malformed (SQLITE_CORRUPT)",
    state: "warn",
    hint: "Run `calltally sync` again.",
  },
])("doctor judges the last run as $state after: $error", ({ error, state, hint }) => {
  using warehouse = newWarehouse();
  const id = startRun(warehouse, { started_at: STARTED_AT, mode: "full", plan_reason: "a test", pid: 1 });
  writeTransaction(warehouse, (tx) => updateRun(tx, id, { status: "failed", error }));
  const settings = loadSettings({ env: { CALLTALLY_DATABASE: warehouse.path }, folder: warehouse.folder });
  const checks = [...checkRuns(warehouse, settings, Date.parse(STARTED_AT))];
  expect(checks.find(({ name }) => name === "last run")).toMatchObject({ state, hint });
});
