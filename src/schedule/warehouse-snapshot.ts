import { statSync } from "node:fs";
import { realFile } from "../base/folder.ts";
import type { Settings } from "../config/load-settings.ts";
import { statementsOf } from "../export/statements/statements.ts";
import type { NoticeBook } from "../features/notice.ts";
import { countCalls } from "../warehouse/calls/call-table.ts";
import { readDrift } from "../warehouse/calls/drift.ts";
import { countAllRejected } from "../warehouse/calls/rejected.ts";
import { openReader } from "../warehouse/file/open.ts";
import { readBasis } from "../warehouse/runs/basis.ts";
import { readJobs } from "../warehouse/runs/job-table.ts";
import { readLastDoneRun, readLastGoodRun } from "../warehouse/runs/runs.ts";
import type { Reader } from "../warehouse/warehouse.ts";
import type { Job } from "./job-definition.ts";

/** A reader only waits for a process that opens or repairs the file. */
const BUSY_MS = 500;

export type Snapshot = NonNullable<ReturnType<typeof readSnapshot>>;

/** Returns undefined if there is no warehouse. @param notices those to count @default none */
export function readSnapshot(jobs: readonly Job[], settings: Settings, notices?: NoticeBook) {
  const database = realFile(settings.database);
  if (statSync(database, { throwIfNoEntry: false }) === undefined) return undefined;
  using warehouse = openReader(database);
  warehouse.sqlite.pragma(`busy_timeout = ${BUSY_MS}`);
  return {
    lastDoneRun: readLastDoneRun(warehouse),
    lastGoodRun: readLastGoodRun(warehouse),
    /** When each job was last done, ISO 8601 UTC; null for never. */
    lastDone: new Map(jobs.map((job) => [job.name, job.readLastDone(warehouse, settings)])),
    unfinished: new Set(jobs.filter((job) => job.isUnfinished?.(warehouse)).map(({ name }) => name)),
    jobs: new Map(readJobs(warehouse).map((record) => [record.job, record])),
    calls: countCalls(warehouse),
    rejectedRows: countAllRejected(warehouse),
    statements: statementsOf({ warehouse: readBasis(warehouse, { accounts: settings.accounts }) }),
    notices: notices === undefined ? [] : countOpen(notices, warehouse),
    driftedMembers: readDrift(warehouse).length,
  };
}

/** Counts the open notices of each watched dimension. */
function countOpen({ dimensions, read }: NoticeBook, reader: Reader) {
  const open = read(reader);
  return dimensions.map((dimension) => ({
    dimension,
    open: open.filter((notice) => notice.dimension === dimension).length,
  }));
}
