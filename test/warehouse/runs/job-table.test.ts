import { expect, it } from "vitest";
import { isFailing } from "../../../src/schedule/job-outcome.ts";
import {
  insertJobStart,
  type JobEnd,
  readJobs,
  settleJob,
  updateJobEnd,
} from "../../../src/warehouse/runs/job-table.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import { newWarehouse } from "../../support/warehouses/warehouse.ts";

const END: JobEnd = {
  job: "sync",
  startedAt: "2026-11-20T10:07:00.000Z",
  finishedAt: "2026-11-20T10:08:00.000Z",
  exitCode: 4,
  result: "failure",
  error: "The API refused the token",
};

it("settleJob ends the failure of one job, as a success of it does, and leaves other jobs", () => {
  using warehouse = newWarehouse();
  const settled = { exitCode: 3, finishedAt: "2026-11-20T10:20:00.000Z" };
  writeTransaction(warehouse, (tx) => {
    for (const job of ["sync", "export"]) updateJobEnd(tx, { ...END, job });
    updateJobEnd(tx, { ...END, job: "insights", result: "success", exitCode: 0, error: null });
    for (const job of ["sync", "insights", "report:weekly"]) settleJob(tx, job, settled);
  });
  expect(readJobs(warehouse)).toEqual([
    expect.objectContaining({ job: "export", exit_code: 4, failed_runs: 1, error: END.error }),
    // It did not fail.
    expect.objectContaining({ job: "insights", exit_code: 0, finished_at: END.finishedAt }),
    {
      job: "sync",
      started_at: END.startedAt,
      finished_at: settled.finishedAt,
      exit_code: 3,
      error: null,
      succeeded_at: settled.finishedAt,
      failing_since: null,
      failed_runs: 0,
    },
  ]);
});

it("settleJob ends a run that was killed, on its own or after a failure, and no alarm is left", () => {
  using warehouse = newWarehouse();
  const settled = { exitCode: 0, finishedAt: "2026-11-20T10:20:00.000Z" };
  writeTransaction(warehouse, (tx) => updateJobEnd(tx, { ...END, job: "export" }));
  for (const job of ["export", "sync"]) insertJobStart(warehouse, job, "2026-11-20T10:09:00.000Z");
  writeTransaction(warehouse, (tx) => {
    for (const job of ["export", "sync"]) settleJob(tx, job, settled);
  });
  const clocks = { nowMs: Date.parse("2026-11-21T10:20:00.000Z"), deadlineMs: 60_000 };
  expect(readJobs(warehouse).map((record) => [record.job, isFailing(record, clocks)])).toEqual([
    ["export", false],
    ["sync", false],
  ]);
});
