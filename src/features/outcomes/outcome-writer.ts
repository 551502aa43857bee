import { and, isNull, ne } from "drizzle-orm";
import { CalltallyError, EXIT } from "../../base/errors.ts";
import { recordOf } from "../../base/records.ts";
import { IS_EARNED } from "../../sources/sqlite/outcome-sums.ts";
import { callerKeyOf } from "../../warehouse/calls/caller-key.ts";
import { logOutcomeChanges } from "../../warehouse/calls/fact-log.ts";
import { outcome_imports } from "../../warehouse/outcomes.ts";
import type { Tx } from "../../warehouse/transaction.ts";
import type { Warehouse } from "../../warehouse/warehouse.ts";

/** @throws CalltallyError (exit 7) if earlier jobs have keys by another one: they would not be recognized */
export function assertSameKey({ db, path }: Warehouse, fingerprint: string): void {
  const { import_id, caller_key, removed_at } = outcome_imports;
  const isOfOtherKey = and(ne(caller_key, fingerprint), isNull(removed_at));
  if (db.select({ import_id }).from(outcome_imports).where(isOfOtherKey).limit(1).get() === undefined) return;
  throw new CalltallyError(
    EXIT.storage,
    `Cannot recognize the jobs of earlier imports: ${callerKeyOf(path)} is not the key that they were imported with`,
    { hint: "Put the key back from a backup, or remove the earlier imports with calltally outcome remove." },
  );
}

const FORGOTTEN = "(SELECT caller_id FROM callers JOIN forgotten_callers ON caller = pseudonym)";
const OF_FORGOTTEN = `(SELECT call_id FROM call_facts WHERE caller_id IN ${FORGOTTEN})`;

/** Known jobs that find no call now keep theirs, if its caller was forgotten or is the one that the job names. */
const KEEP = `UPDATE temp.staged_jobs SET call_id = o.call_id, day = coalesce(staged_jobs.day, o.day)
FROM outcomes AS o JOIN call_facts AS f ON f.call_id = o.call_id
WHERE staged_jobs.call_id IS NULL AND o.job_key = staged_jobs.job_key
  AND (f.caller_id IN ${FORGOTTEN} OR f.caller_id = staged_jobs.caller_id)
RETURNING job`;

const KEEP_LINES = `UPDATE temp.staged_lines SET call_id = (SELECT call_id FROM temp.staged_jobs WHERE job = @job)
WHERE job = @job OR job_key = (SELECT job_key FROM temp.staged_jobs WHERE job = @job AND lines > 1) RETURNING file, line`;

/**
 * Stored jobs that make room: those with an id of the import, and those of a day of the same source. Jobs of forgotten
 * callers find no call any more, so days keep theirs.
 */
const REPLACED = `CREATE TEMP TABLE replaced_jobs AS SELECT *, job_key IN (SELECT job_key FROM temp.staged_jobs) IS TRUE AS is_by_id FROM outcomes
WHERE is_by_id OR source = @source AND call_id NOT IN ${OF_FORGOTTEN}
  AND (day IN (SELECT day FROM temp.staged_jobs WHERE job_key IS NULL)
    OR job_key IS NULL AND day IN (SELECT day FROM temp.staged_jobs))`;

const REMOVE = `DELETE FROM outcomes WHERE outcome_id IN (SELECT outcome_id FROM temp.replaced_jobs WHERE NOT is_by_id
  UNION ALL SELECT outcome_id FROM temp.replaced_jobs WHERE is_by_id
    AND job_key IN (SELECT job_key FROM temp.staged_jobs WHERE call_id IS NULL))`;

const PUT = `INSERT INTO outcomes (call_id, day, stage, amount_micros, currency, source, job_key, import_id)
SELECT call_id, day, stage, amount_micros, iif(amount_micros IS NULL, NULL, @currency), @source, job_key, @before + file
FROM temp.staged_jobs WHERE call_id IS NOT NULL
ON CONFLICT (job_key) WHERE job_key IS NOT NULL DO UPDATE SET call_id = excluded.call_id, day = excluded.day,
  stage = excluded.stage, amount_micros = excluded.amount_micros, currency = excluded.currency, import_id = excluded.import_id`;

const RECORD = `INSERT INTO outcome_imports (import_id, imported_at, file, source, first_day, last_day, jobs, matched, caller_key)
SELECT @before + @file, @imported_at, @name, @source, min(day) FILTER (WHERE call_id IS NOT NULL),
  max(day) FILTER (WHERE call_id IS NOT NULL), count(*), count(call_id), @caller_key FROM temp.staged_jobs WHERE file = @file`;

const MARK_REPLACED = `UPDATE outcome_imports SET replaced_by = @before + 1
WHERE import_id <= @before AND source = @source AND matched > 0 AND replaced_by IS NULL AND removed_at IS NULL
  AND import_id NOT IN (SELECT import_id FROM outcomes)`;

const JOBS_OF_FILE = `SELECT count(*) AS jobs, count(call_id) AS matched,
  iif(count(amount_micros) = 0, NULL, CAST(coalesce(sum(amount_micros)
    FILTER (WHERE ${IS_EARNED} AND call_id IS NOT NULL), 0) AS TEXT)) AS revenue
FROM temp.staged_jobs WHERE file = ?`;

/** What becomes of the amount of a line. */
export const FATES = ["stored", "without_call", "left_out", "repeated"] as const;
export type Fate = (typeof FATES)[number];

const micros = (what: string) => `CAST(coalesce(sum(amount_micros) FILTER (WHERE ${what}), 0) AS TEXT)`;

/** The amounts of a file's lines, by what became of them. */
const LINES_OF_FILE = `SELECT ${micros("fate IS NULL AND call_id IS NOT NULL")} AS stored,
  ${micros("fate IS NULL AND call_id IS NULL")} AS without_call, ${micros("fate = 'refused'")} AS left_out,
  ${micros("fate = 'repeated'")} AS repeated, count(*) FILTER (WHERE fate = 'repeated') AS repeated_lines
FROM temp.staged_lines WHERE file = ?`;

const SUM = "count(*) AS jobs, CAST(coalesce(sum(amount_micros), 0) AS TEXT) AS amount";
const IS_KNOWN = "job_key IS NOT NULL AND job_key IN (SELECT job_key FROM temp.replaced_jobs WHERE is_by_id)";
const BEFORE = (isById: 0 | 1) => `SELECT ${SUM} FROM temp.replaced_jobs WHERE is_by_id = ${isById}`;
const NOW = {
  job_id: `SELECT ${SUM} FROM temp.staged_jobs WHERE call_id IS NOT NULL AND ${IS_KNOWN}`,
  day: `SELECT ${SUM} FROM temp.staged_jobs WHERE call_id IS NOT NULL AND NOT (${IS_KNOWN})
    AND day IN (SELECT day FROM temp.replaced_jobs WHERE NOT is_by_id)`,
};
const FILES = `SELECT DISTINCT file FROM outcome_imports
WHERE import_id IN (SELECT import_id FROM temp.replaced_jobs WHERE NOT is_by_id) ORDER BY import_id`;

interface ReadFile {
  file: string;
  /** The amounts of lines that are no jobs. */
  left_out_micros: bigint;
}

interface Origin {
  source: string;
  /** ISO 4217; null if no job has an amount. */
  currency: string | null;
  /** ISO 8601 UTC. */
  imported_at: string;
  /** Fingerprint of the key of the jobs' ids. */
  caller_key: string;
}

/** Jobs with a call, and their amounts of any stage. */
export interface JobSum {
  jobs: number;
  amount_micros: bigint;
}

/** What an import has put in the place of stored jobs. */
export interface ReplacedJobs {
  /** Jobs that came again, or all jobs of a day without ids. */
  by: "job_id" | "day";
  before: JobSum;
  now: JobSum;
  /** The files that replaced jobs of a day came from. */
  files: string[];
}

export interface WrittenFile {
  jobs: number;
  matched: number;
  /** Of sold jobs, less refunds; null if the file has no amounts. */
  revenue_micros: bigint | null;
  /** The amounts of all its lines, by what became of them. */
  amounts: Record<Fate, bigint>;
  /** Lines that repeat the amount of another one. */
  repeated_lines: number;
}

export interface WrittenOutcomes<File> {
  files: (Omit<File, "left_out_micros"> & WrittenFile)[];
  replaced: ReplacedJobs[];
  /** The places of jobs that keep the call that they had. */
  kept: { file: number; line: number }[];
}

/** Replaces earlier jobs: one with an id the earlier one of the same source; those without one all jobs of their days. */
export function writeOutcomes<File extends ReadFile>(
  tx: Tx,
  files: readonly File[],
  { currency, ...origin }: Origin,
): WrittenOutcomes<File> {
  const { sqlite } = tx;
  const { source } = origin;
  const before = Number(
    sqlite
      .prepare("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'outcome_imports'")
      .pluck()
      .get(),
  );
  const kept = keepCalls(tx);
  sqlite.prepare(REPLACED).run({ source });
  logOutcomeChanges(tx, () => {
    sqlite.prepare(REMOVE).run();
    sqlite.prepare(PUT).run({ currency, source, before });
  });
  for (const [index, { file: name }] of files.entries())
    sqlite.prepare(RECORD).run({ ...origin, before, file: index + 1, name });
  sqlite.prepare(MARK_REPLACED).run({ before, source });
  return {
    files: files.map(({ left_out_micros, ...file }, index) => {
      const { amounts, ...sums } = readSums(tx, index + 1);
      return { ...file, ...sums, amounts: { ...amounts, left_out: amounts.left_out + left_out_micros } };
    }),
    replaced: readReplaced(tx),
    kept,
  };
}

function keepCalls({ sqlite }: Tx): { file: number; line: number }[] {
  const jobs = sqlite.prepare<[], number>(KEEP).pluck().all();
  const keepLines = sqlite.prepare<{ job: number }, { file: number; line: number }>(KEEP_LINES);
  return jobs.flatMap((job) => keepLines.all({ job }));
}

function readSums({ sqlite }: Tx, file: number): WrittenFile {
  const [of] = sqlite
    .prepare<[number], { jobs: number; matched: number; revenue: string | null }>(JOBS_OF_FILE)
    .all(file);
  const [lines] = sqlite
    .prepare<[number], Record<Fate, string> & { repeated_lines: number }>(LINES_OF_FILE)
    .all(file);
  const { jobs = 0, matched = 0, revenue = null } = of ?? {};
  return {
    jobs,
    matched,
    revenue_micros: revenue === null ? null : BigInt(revenue),
    amounts: recordOf(FATES, (fate) => BigInt(lines?.[fate] ?? 0)),
    repeated_lines: lines?.repeated_lines ?? 0,
  };
}

function readReplaced({ sqlite }: Tx): ReplacedJobs[] {
  const sumOf = (sql: string): JobSum => {
    const { jobs = 0, amount = 0 } = sqlite.prepare<[], { jobs: number; amount: string }>(sql).get() ?? {};
    return { jobs, amount_micros: BigInt(amount) };
  };
  const all = (["job_id", "day"] as const).map((by): ReplacedJobs => {
    const files = by === "job_id" ? [] : sqlite.prepare<[], string>(FILES).pluck().all();
    return { by, before: sumOf(BEFORE(by === "job_id" ? 1 : 0)), now: sumOf(NOW[by]), files };
  });
  return all.filter(({ before: { jobs } }) => jobs > 0);
}
