import { systemClock } from "../../base/clock.ts";
import { readTextFile } from "../../spend/import-files.ts";
import { assertOneCurrency, readCurrency, unknownCurrency } from "../../spend/spend-table.ts";
import { openCallerHash } from "../../warehouse/calls/caller-hash.ts";
import { openExistingWarehouse } from "../../warehouse/open.ts";
import { type OwnWarehouse, openOwn } from "../../warehouse/own-warehouse.ts";
import { JobMatcher } from "./match-jobs.ts";
import { assertSameKey, OutcomeWriter } from "./outcome-writer.ts";
import { type ReadJobsOptions, readJobs } from "./read-jobs.ts";

export interface ImportOutcomesOptions extends Omit<ReadJobsOptions, "currency"> {
  /** Name of the list that the jobs are of. */
  source: string;
  /** The currency of amounts that name none. */
  named: string | undefined;
  /** How long before its job a call may be. */
  withinDays: number;
  /** Digits before phone numbers that are written without a country code. */
  countryCode?: string | undefined;
}

/** A line that is no job, or a job that has no call. */
export interface RejectedJob {
  file: string;
  line: number;
  job_id: string | null;
  kind: "left out" | "unmatched";
  reason: string;
}

export interface ImportedJobs {
  file: string;
  encoding: string;
  unused_columns: string[];
  jobs: number;
  matched: number;
  /** Of sold jobs; null if the file has no amounts. */
  revenue_micros: bigint | null;
}

export interface ImportedOutcomes {
  currency: string | null;
  imports: ImportedJobs[];
  rejected: RejectedJob[];
  /** Numbers without a country code that were read with 1, as all callers have it. */
  completed_numbers: number;
  /** Path of the key of jobs and pseudonyms, if it was created just now. */
  newKey: string | undefined;
}

const CACHE_KIB = 24_576;

/** @throws UsageError for anything that cannot be imported, before anything is written */
export function importOutcomes(
  own: OwnWarehouse & { currency: string | undefined; timezone: string },
  paths: readonly string[],
  { source, named, withinDays, countryCode, ...options }: ImportOutcomesOptions,
): ImportedOutcomes {
  using warehouse = openOwn(own, openExistingWarehouse);
  warehouse.sqlite.pragma(`cache_size = ${-CACHE_KIB}`);
  // Each job's call was read, and calls are never deleted: to look for a million again takes longer than to write.
  warehouse.sqlite.pragma("foreign_keys = OFF");
  const stored = readCurrency(warehouse);
  const known = own.currency ?? stored ?? named;
  const files = paths.map((path) =>
    readTextFile(path, (text) => readJobs(text, { ...options, currency: known })),
  );
  const currency = assertOneCurrency("revenue", [
    { currency: own.currency, place: "the setting currency" },
    { currency: stored, place: "the warehouse" },
    { currency: named, place: "--currency" },
    ...files.flatMap(({ file, currencies }) =>
      [...currencies].map(([code, line]) => ({ currency: code, place: `${file}, line ${line}` })),
    ),
  ]);
  const { seal, fingerprint, newKey } = openCallerHash(warehouse.path);
  assertSameKey(warehouse, fingerprint);
  const matcher = new JobMatcher(warehouse, { zone: own.timezone, withinDays, countryCode });
  using writer = new OutcomeWriter(warehouse, source, seal);
  const rejected: RejectedJob[] = [];
  for (const [index, { file, visit }] of files.entries()) {
    visit(
      (job) => {
        if (job.amount_micros !== null && currency === null) throw unknownCurrency("revenue");
        const found = matcher.match(job);
        if (typeof found !== "string") return writer.stage(index + 1, job, found);
        writer.stage(index + 1, job, { call_id: null, day: matcher.dayOf(job) });
        rejected.push({ file, line: job.line, job_id: job.job_id, kind: "unmatched", reason: found });
      },
      (line, reason) => rejected.push({ file, line, job_id: null, kind: "left out", reason }),
    );
  }
  for (const { file, line } of writer.takeOutRefunds()) {
    const reason = "a refund would replace its job: give it an id of its own";
    rejected.push({ file: files[file - 1]?.file ?? "", line, job_id: null, kind: "left out", reason });
  }
  const imported_at = new Date(systemClock.now()).toISOString();
  const sums = writer.commit(
    files.map(({ file }) => file),
    { source, currency, imported_at, caller_key: fingerprint },
  );
  const imports = files.map(({ file, encoding, unused_columns }, index): ImportedJobs => {
    const sum = sums[index] ?? { jobs: 0, matched: 0, revenue_micros: null };
    return { file, encoding, unused_columns, ...sum };
  });
  return { currency, imports, rejected, completed_numbers: matcher.completed, newKey };
}
