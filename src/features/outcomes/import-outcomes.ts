import { systemClock } from "../../base/clock.ts";
import { UsageError } from "../../base/errors.ts";
import type { LineRule } from "../../intake/line-rule.ts";
import { assertOneCurrency, readCurrency, unknownCurrency } from "../../intake/one-currency.ts";
import { type LineCounts, openTable } from "../../intake/open-table.ts";
import { readTextFile } from "../../intake/read-file.ts";
import { openCallerHash } from "../../warehouse/calls/caller-hash.ts";
import { openExistingWarehouse } from "../../warehouse/file/open.ts";
import { type OwnWarehouse, openOwn } from "../../warehouse/file/own-warehouse.ts";
import { writeTransaction } from "../../warehouse/transaction.ts";
import { JOBS_INTAKE, type ReadJobsOptions } from "./jobs-intake.ts";
import { JobMatcher } from "./match-jobs.ts";
import { assertSameKey, type ReplacedJobs, type WrittenFile, writeOutcomes } from "./outcome-writer.ts";
import { type RejectedJob, RejectedJobs } from "./rejected-jobs.ts";
import { adviseOnWords, listWords } from "./stage-words.ts";
import { StagedJobs } from "./staged-jobs.ts";

export interface ImportOutcomesOptions extends Omit<ReadJobsOptions, "currency"> {
  /** Name of the list that the jobs are of. */
  source: string;
  /** The currency of amounts that name none. */
  named: string | undefined;
  /** How long before its job a call may be. */
  withinDays: number;
  /** Digits before phone numbers that are written without a country code. */
  countryCode?: string | undefined;
  /** How lines of one job with equal amounts count; without a rule they are refused. */
  lines?: LineRule | undefined;
}

export interface ImportedJobs extends WrittenFile, ReadFile {}

interface ReadFile extends LineCounts {
  file: string;
  encoding: string;
  unused_columns: string[];
}

export interface ImportedOutcomes {
  currency: string | null;
  imports: ImportedJobs[];
  replaced: ReplacedJobs[];
  rejected: RejectedJob[];
  /** How many lines have each word that is no stage. */
  unknownStages: ReadonlyMap<string, number>;
  /** Jobs that find no call now, and keep the one that they had. */
  kept: number;
  /** Jobs that are before the call that they name. */
  early: number;
  /** Jobs that have a call only because +1 was put before ten digits. */
  assumed: number;
  /** Path of the key of jobs and pseudonyms, if it was created just now. */
  newKey: string | undefined;
}

const CACHE_KIB = 24_576;
/** Characters of base64url: 132 bits. */
const KEY_LENGTH = 22;

/** @throws UsageError for anything that cannot be imported, before anything is written */
export function importOutcomes(
  account: OwnWarehouse & { currency: string | undefined; timezone: string },
  paths: readonly string[],
  { source, named, withinDays, countryCode, lines: rule, ...options }: ImportOutcomesOptions,
): ImportedOutcomes {
  using warehouse = openOwn(account, openExistingWarehouse);
  warehouse.sqlite.pragma(`cache_size = ${-CACHE_KIB}`);
  // Each job's call was read, and calls are never deleted: to look for a million again takes longer than to write.
  warehouse.sqlite.pragma("foreign_keys = OFF");
  const stored = readCurrency(warehouse);
  const known = account.currency ?? stored ?? named;
  const files = paths.map((path) =>
    readTextFile(path, (text) => openTable(text, JOBS_INTAKE, { ...options, currency: known })),
  );
  const names = files.map(({ file }) => file);
  const currency = assertOneCurrency("revenue", [
    { currency: account.currency, place: "the setting currency" },
    { currency: stored, place: "the warehouse" },
    { currency: named, place: "--currency" },
    ...files.flatMap(({ file, currencies }) =>
      [...currencies].map(([code, line]) => ({ currency: code, place: `${file}, line ${line}` })),
    ),
  ]);
  const { seal, fingerprint, newKey } = openCallerHash(warehouse.path);
  assertSameKey(warehouse, fingerprint);
  const matcher = new JobMatcher(warehouse, { zone: account.timezone, withinDays, countryCode });
  using staged = new StagedJobs(warehouse.sqlite);
  const rejected = new RejectedJobs(names);
  let early = 0;
  const read = files.map(({ file: name, encoding, columns, visit }, index) => {
    const file = index + 1;
    let leftOut = 0n;
    const counts = visit(
      (job) => {
        if (job.amount_micros !== null && currency === null) throw unknownCurrency("revenue");
        const { line, job_id } = job;
        const match = matcher.match(job);
        const key = job_id === null ? undefined : seal(JSON.stringify([source, job_id]));
        staged.add(file, job, match, key?.slice(0, KEY_LENGTH));
        if (match.isEarly) early++;
        if (match.reason !== undefined)
          rejected.add(file, { line, job_id, kind: "unmatched", reason: match.reason });
      },
      ({ line, reason, amount_micros, word }) => {
        leftOut += BigInt(amount_micros ?? 0);
        if (word !== undefined) rejected.addWord(word);
        rejected.add(file, { line, job_id: null, kind: "left out", reason, word });
      },
    );
    return { file: name, encoding, unused_columns: columns.unused, ...counts, left_out_micros: leftOut };
  });
  if (staged.isEmpty && rejected.words.size > 0) throw unknownStages(names, rejected.words);
  const { refused, linked } = staged.makeJobs(names, rule);
  for (const { file, line, reason } of refused)
    rejected.add(file, { line, job_id: null, kind: "left out", reason });
  const imported_at = new Date(systemClock.now()).toISOString();
  const {
    files: imports,
    replaced,
    kept,
  } = writeTransaction(warehouse, (tx) =>
    writeOutcomes(tx, read, { source, currency, imported_at, caller_key: fingerprint }),
  );
  for (const { file, line } of [...linked, ...kept]) rejected.remove(file, line);
  return {
    currency,
    imports,
    replaced,
    rejected: rejected.list(),
    unknownStages: rejected.words,
    kept: kept.length,
    early,
    assumed: matcher.assumed,
    newKey,
  };
}

function unknownStages(files: readonly string[], words: ReadonlyMap<string, number>): UsageError {
  return new UsageError(
    `Cannot import ${files.join(", ")}: none of the stages is known, ${listWords(words)}`,
    {
      hint: adviseOnWords(words),
    },
  );
}
