import { expect, it } from "vitest";
import { loadSettings } from "../../src/config/load-settings.ts";
import { exportJob } from "../../src/jobs/export.ts";
import { insertExports, settleExports } from "../../src/warehouse/runs/exports.ts";
import { updateJobEnd } from "../../src/warehouse/runs/job-table.ts";
import { writeTransaction } from "../../src/warehouse/transaction.ts";
import { newWarehouse } from "../support/warehouse.ts";

it("exportJob.readLastDone returns the last success of the job, whatever was exported by hand", () => {
  using warehouse = newWarehouse();
  const settings = loadSettings({
    env: { CALLTALLY_EXPORT_DIR: warehouse.folder },
    folder: warehouse.folder,
  });
  const path = `${warehouse.folder}/utm_source.csv`;
  const ids = insertExports(warehouse, [{ path, sha256: "0", rows: 1, filter: "{}" }]);
  settleExports(warehouse, ids, "2026-11-20T12:00:00.000Z");
  expect(exportJob.readLastDone(warehouse, settings)).toBeNull();

  const times = { startedAt: "2026-11-20T05:30:00.000Z", finishedAt: "2026-11-20T05:30:01.000Z" };
  const end = { job: "export", ...times, exitCode: 0, result: "success", error: null } as const;
  writeTransaction(warehouse, (tx) => updateJobEnd(tx, end));
  expect(exportJob.readLastDone(warehouse, settings)).toBe(times.finishedAt);
});
