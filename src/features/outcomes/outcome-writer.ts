import { CalltallyError, EXIT } from "../../base/errors.ts";
import { callerKeyOf } from "../../warehouse/calls/caller-key.ts";
import { logOutcomeChanges } from "../../warehouse/calls/fact-log.ts";
import { writeTransaction } from "../../warehouse/transaction.ts";
import type { Warehouse } from "../../warehouse/warehouse.ts";
import type { Job } from "./read-jobs.ts";

/** @throws CalltallyError (exit 7) if earlier jobs have keys by another one: they would not be recognized */
export function assertSameKey({ sqlite, path }: Warehouse, fingerprint: string): void {
  const sql = "SELECT 1 FROM outcome_imports WHERE caller_key <> ? AND removed_at IS NULL LIMIT 1";
  if (sqlite.prepare(sql).get(fingerprint) === undefined) return;
  throw new CalltallyError(
    EXIT.storage,
    `Cannot recognize the jobs of earlier imports: ${callerKeyOf(path)} is not the key that they were imported with`,
    { hint: "Put the key back from a backup, or remove the earlier imports with calltally outcome remove." },
  );
}

const STAGED = `CREATE TEMP TABLE staged_jobs (job INTEGER PRIMARY KEY, file INTEGER NOT NULL, line INTEGER NOT NULL,
  call_id INTEGER, day TEXT, stage TEXT NOT NULL, amount_micros INTEGER, job_key TEXT)`;

/** Refunds that would take the place of a job with the same id, so that what it had earned would be lost. */
const REFUNDS = `DELETE FROM temp.staged_jobs WHERE amount_micros < 0 AND job_key IN (
  SELECT job_key FROM temp.staged_jobs WHERE amount_micros > 0
  UNION ALL SELECT job_key FROM outcomes WHERE amount_micros > 0 AND job_key IS NOT NULL) RETURNING file, line`;

/** The last line of each job; in the order of keys, so that their index grows at its end. */
const LAST = `CREATE TEMP TABLE last_jobs AS SELECT max(job) AS job, file, call_id, day, stage, amount_micros, job_key
FROM temp.staged_jobs GROUP BY coalesce(job_key, job)`;

const REPLACE = [
  "DELETE FROM outcomes WHERE job_key IN (SELECT job_key FROM temp.last_jobs WHERE call_id IS NULL)",
  "DELETE FROM outcomes WHERE source = @source AND day IN (SELECT day FROM temp.last_jobs WHERE job_key IS NULL)",
  "DELETE FROM outcomes WHERE job_key IS NULL AND source = @source AND day IN (SELECT day FROM temp.last_jobs)",
];

const PUT = `INSERT INTO outcomes (call_id, day, stage, amount_micros, currency, source, job_key, import_id)
SELECT call_id, day, stage, amount_micros, iif(amount_micros IS NULL, NULL, @currency), @source, job_key, @before + file
FROM temp.last_jobs WHERE call_id IS NOT NULL
ON CONFLICT (job_key) WHERE job_key IS NOT NULL DO UPDATE SET call_id = excluded.call_id, day = excluded.day,
  stage = excluded.stage, amount_micros = excluded.amount_micros, currency = excluded.currency, import_id = excluded.import_id`;

const RECORD = `INSERT INTO outcome_imports (import_id, imported_at, file, source, first_day, last_day, jobs, matched, caller_key)
SELECT @before + @file, @imported_at, @name, @source, min(day) FILTER (WHERE call_id IS NOT NULL),
  max(day) FILTER (WHERE call_id IS NOT NULL), count(*), count(call_id), @caller_key FROM temp.last_jobs WHERE file = @file`;

const MARK_REPLACED = `UPDATE outcome_imports SET replaced_by = @before + 1
WHERE import_id <= @before AND source = @source AND matched > 0 AND replaced_by IS NULL AND removed_at IS NULL
  AND import_id NOT IN (SELECT import_id FROM outcomes)`;

const SUMS = `SELECT count(*) AS jobs, count(call_id) AS matched,
  iif(count(amount_micros) = 0, NULL, CAST(coalesce(sum(amount_micros)
    FILTER (WHERE stage = 'sold' AND call_id IS NOT NULL), 0) AS TEXT)) AS revenue
FROM temp.last_jobs WHERE file = ?`;

interface Origin {
  source: string;
  /** ISO 4217; null if no job has an amount. */
  currency: string | null;
  /** ISO 8601 UTC. */
  imported_at: string;
  /** Fingerprint of the key of `seal`. */
  caller_key: string;
}

/**
 * Collects jobs, and then replaces earlier ones in one transaction: a job with an id the earlier one of the same source;
 * those without one all jobs of their days.
 */
export class OutcomeWriter implements Disposable {
  readonly #warehouse: Warehouse;
  readonly #seal: (text: string) => string;
  readonly #source: string;
  readonly #stage;

  constructor(warehouse: Warehouse, source: string, seal: (text: string) => string) {
    this.#warehouse = warehouse;
    this.#seal = seal;
    this.#source = source;
    // One transaction, which locks nothing: each statement would write a journal.
    warehouse.sqlite.exec(`BEGIN; ${STAGED}`);
    this.#stage = warehouse.sqlite.prepare(
      "INSERT INTO temp.staged_jobs (file, line, call_id, day, stage, amount_micros, job_key) VALUES (?, ?, ?, ?, ?, ?, ?)",
    );
  }

  /** @param file its number, from 1 on @param found its local day, and its call; null if it has none */
  stage(file: number, job: Job, { call_id, day }: { call_id: number | null; day: string | null }): void {
    const key = job.job_id === null ? null : this.#seal(JSON.stringify([this.#source, job.job_id]));
    const { line, stage, amount_micros } = job;
    this.#stage.run(file, line, call_id, day, stage, amount_micros, key?.slice(0, KEY_LENGTH));
  }

  /** Returns the places of refunds that would replace their jobs. */
  takeOutRefunds(): { file: number; line: number }[] {
    return this.#warehouse.sqlite.prepare<[], { file: number; line: number }>(REFUNDS).all();
  }

  /** Returns what each file had; of a job in several lines, the last counts. */
  commit(files: readonly string[], { currency, ...origin }: Origin) {
    this.#warehouse.sqlite.exec("COMMIT");
    return writeTransaction(this.#warehouse, (tx) => {
      const { sqlite } = tx;
      const { source } = origin;
      sqlite.exec(LAST);
      const before = Number(
        sqlite
          .prepare("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'outcome_imports'")
          .pluck()
          .get(),
      );
      logOutcomeChanges(tx, () => {
        for (const sql of REPLACE) sqlite.prepare(sql).run(sql.includes("@") ? { source } : {});
        sqlite.prepare(PUT).run({ currency, source, before });
      });
      const sums = sqlite.prepare<[number], { jobs: number; matched: number; revenue: string | null }>(SUMS);
      return files.map((name, index) => {
        const file = index + 1;
        sqlite.prepare(RECORD).run({ ...origin, before, file, name });
        if (file === files.length) sqlite.prepare(MARK_REPLACED).run({ before, source });
        const { jobs = 0, matched = 0, revenue = null } = sums.get(file) ?? {};
        return { jobs, matched, revenue_micros: revenue === null ? null : BigInt(revenue) };
      });
    });
  }

  [Symbol.dispose](): void {
    const { sqlite } = this.#warehouse;
    if (sqlite.inTransaction) sqlite.exec("ROLLBACK");
    sqlite.exec("DROP TABLE IF EXISTS temp.last_jobs; DROP TABLE IF EXISTS temp.staged_jobs");
  }
}

/** Characters of base64url: 132 bits. */
const KEY_LENGTH = 22;
