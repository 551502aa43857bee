import { freeBytes, SYNC_NEEDS_BYTES } from "../../base/folder.ts";
import { formatBytes } from "../../base/text/quantity-text.ts";
import type { Settings } from "../../config/load-settings.ts";
import { readStatements } from "../../export/statements/read-statements.ts";
import { toSpoken } from "../../export/statements/statements.ts";
import type { NoticeBook } from "../../features/notice.ts";
import { countCalls, countKeptTopics, readNewestCall } from "../../warehouse/calls/call-table.ts";
import { readDrift } from "../../warehouse/calls/drift.ts";
import { readRejected } from "../../warehouse/calls/rejected.ts";
import { readRulesInForce } from "../../warehouse/calls/rules.ts";
import { openReader } from "../../warehouse/file/open.ts";
import { findOtherOrigin } from "../../warehouse/file/own-warehouse.ts";
import { nameFile } from "../../warehouse/file/sqlite-errors.ts";
import { describeOrigin, readOrigin } from "../../warehouse/origin.ts";
import { readPublications } from "../../warehouse/publication-table.ts";
import { readCoverage } from "../../warehouse/runs/basis.ts";
import { readJobs } from "../../warehouse/runs/job-table.ts";
import {
  readLastDoneRun,
  readLastGoodRun,
  readLastVerifiedPass,
  readRunsAsEnded,
} from "../../warehouse/runs/runs.ts";
import type { Reader } from "../../warehouse/warehouse.ts";
import { readNext, readReports, type ScheduledReports } from "./read-next.ts";

const WEEK_MS = 7 * 86_400_000;

export type Status = ReturnType<typeof readStatus>;

/** @throws CalltallyError (exit 7) for a file that is not a warehouse, is damaged, or of an older schema */
export function readStatus(settings: Settings, options: StatusOptions) {
  using warehouse = openReader(settings.database);
  return readStatusOf(warehouse, settings, options);
}

interface StatusOptions {
  /** How many runs to read. */
  runs: number;
  nowMs: number;
  reports?: ScheduledReports;
  notices: NoticeBook;
}

export function readStatusOf(
  warehouse: Reader,
  settings: Settings,
  { runs, nowMs, notices, reports = new Map() }: StatusOptions,
) {
  try {
    const last_good_run = readLastGoodRun(warehouse) ?? null;
    return {
      warehouse: warehouse.path,
      /** The service and organization unit that it is a copy of. */
      origin: describeOrigin(readOrigin(warehouse)),
      /** Why a sync would fail for lack of space, and could not even record that; null if there is enough. */
      disk_problem: findFullDisk(warehouse.path),
      /** Why it is not the warehouse of the account in the settings; null if it is. */
      origin_problem: findOtherOrigin(warehouse, settings) ?? null,
      calls: countCalls(warehouse),
      /** Why the service counts other calls; null if it does not, or nothing is known. */
      difference: readCoverage(warehouse).difference,
      /** ISO 8601 UTC, as all times here. */
      newest_call: readNewestCall(warehouse),
      runs: readRunsAsEnded(warehouse, runs),
      last_done_run: readLastDoneRun(warehouse) ?? null,
      /** What a reader of the figures must know, doubts first. */
      statements: readStatements(warehouse, settings).map(toSpoken),
      /** Calls whose topic can no longer be derived, since their transcript was removed: it stays. */
      topics_kept: readRulesInForce(warehouse).rules.topics.length > 0 ? countKeptTopics(warehouse) : 0,
      /** The last run with a verdict better than unverified. */
      last_good_run,
      /** The last run that proved that it read every call. */
      last_verified_pass: readLastVerifiedPass(warehouse) ?? null,
      /**
       * Jobs, however started, and their last runs; without those that never ran. A sync succeeded when its copy
       * could last be trusted.
       */
      jobs: readJobs(warehouse).map((record) =>
        record.job === "sync" ? { ...record, succeeded_at: last_good_run?.finished_at ?? null } : record,
      ),
      /** Keys whose calls are silent or far off, or were in the last week. */
      notices: notices.read(warehouse, new Date(nowMs - WEEK_MS).toISOString()),
      /** The zone of their days. */
      timezone: settings.timezone,
      /** The reports of calltally.yaml and those that were made, with their last run, its deliveries and the next time. */
      reports: readReports(warehouse, reports, settings.timezone, nowMs),
      /** The cluster of the settings, or those published to, and whether they are current. */
      publications: readPublications(warehouse, settings.publish.to?.name),
      rejected: readRejected(warehouse),
      drift: readDrift(warehouse),
      next: readNext(warehouse, settings, nowMs),
    };
  } catch (error) {
    throw nameFile(error, warehouse.path);
  }
}

function findFullDisk(database: string): string | null {
  const free = freeBytes(database);
  return free < SYNC_NEEDS_BYTES
    ? `${formatBytes(free)} free, and a sync may need ${formatBytes(SYNC_NEEDS_BYTES)}`
    : null;
}
