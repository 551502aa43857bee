import { resolve } from "node:path";
import { attempt, describeError, type ExitCode } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { openCurrentWarehouse } from "../warehouse/file/open.ts";
import {
  insertJobStart,
  type JobEnd,
  type JobRecord,
  readJobs,
  settleJob,
  updateJobEnd,
} from "../warehouse/runs/job-table.ts";
import { writeTransaction } from "../warehouse/transaction.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

/** A job must not wait long for other writers, since it hears no signal meanwhile. */
const BUSY_MS = 2000;

/** Records jobs in the warehouse; if that cannot be written, only in the log. */
export interface JobJournal {
  start: (job: string, startedAt: string) => void;
  end: (end: JobEnd) => void;
  read: () => JobRecord[];
}

/** Ends the failure of a job whose work was just done by hand, unless another process keeps the warehouse busy. */
export function settleByHand(database: string, job: string, exitCode: ExitCode): void {
  attempt(() => {
    using warehouse = openCurrentWarehouse(resolve(database), BUSY_MS);
    const end = { exitCode, finishedAt: new Date().toISOString() };
    if (warehouse) writeTransaction(warehouse, (tx) => settleJob(tx, job, end));
  });
}

export function openJournal(database: string, log: Log): JobJournal {
  function withWarehouse<T>(
    work: (warehouse: Warehouse) => T,
    level: "debug" | "warn" = "debug",
  ): T | undefined {
    try {
      using warehouse = openCurrentWarehouse(resolve(database), BUSY_MS);
      return warehouse && work(warehouse);
    } catch (error) {
      log[level](`cannot record jobs in the warehouse: ${describeError(error)}`);
      return undefined;
    }
  }
  return {
    start: (job, startedAt) => {
      withWarehouse((warehouse) =>
        writeTransaction(warehouse, () => insertJobStart(warehouse, job, startedAt)),
      );
    },
    end: (end) => {
      withWarehouse((warehouse) => writeTransaction(warehouse, (tx) => updateJobEnd(tx, end)), "warn");
    },
    read: () => withWarehouse(readJobs) ?? [],
  };
}
