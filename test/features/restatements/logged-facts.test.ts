import { expect, it } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import { FEATURES } from "../../../src/features/list.ts";
import { beginFactLog } from "../../../src/features/restatements/logged-facts.ts";
import { findAlteredObjects } from "../../../src/operate/verify/altered-objects.ts";
import { LOG_TRIGGERS, readFactLog } from "../../../src/warehouse/calls/fact-log.ts";
import { readLastDoneRun } from "../../../src/warehouse/runs/runs.ts";
import { locked, newWarehouse, storeRun } from "../../support/warehouses/warehouse.ts";

it("the log of facts ends after a sync if it no longer explains any rollup", async () => {
  using warehouse = newWarehouse();
  storeRun(warehouse, [], {
    startedAt: "2026-11-01T00:00:00.000Z",
    finishedAt: "2026-11-01T00:01:00.000Z",
  });
  const run = readLastDoneRun(warehouse);
  if (run === undefined) throw new Error("No run was stored");
  const log = beginFactLog(warehouse);
  expect(readFactLog(warehouse)).toBe(log);
  for (const { endSync } of FEATURES) {
    await endSync?.(locked(warehouse), run, { clock: systemClock, timezone: "UTC" });
  }
  expect(readFactLog(warehouse)).toBeUndefined();
});

it("verify names the triggers of the log if they lack, though a rollup is recorded", async () => {
  using warehouse = newWarehouse();
  expect(await findAlteredObjects(warehouse)).toEqual([]);
  warehouse.sqlite.exec(
    "INSERT INTO exported_rollups VALUES (1, 'a', 'channel', '', '', '', NULL, NULL, NULL, NULL, '', '', 0, 1, 1)",
  );
  expect(await findAlteredObjects(warehouse)).toEqual(Object.keys(LOG_TRIGGERS));
});
