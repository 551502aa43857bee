import { type JobRecord, readJobs } from "../warehouse/runs/job-table.ts";
import { readLastGoodRun } from "../warehouse/runs/runs.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

/** Reads the jobs. A sync succeeded when its copy could last be trusted, whatever started it. */
export function readJobsWithGoodRun(warehouse: Warehouse): JobRecord[] {
  return readJobs(warehouse).map((record) =>
    record.job === "sync"
      ? { ...record, succeeded_at: readLastGoodRun(warehouse)?.finished_at ?? null }
      : record,
  );
}
