import type { Database } from "better-sqlite3";
import { UsageError } from "../../base/errors.ts";
import { formatMicros } from "../../base/text/currency.ts";
import type { LineRule } from "../../intake/line-rule.ts";
import type { ImportedJob } from "./jobs-intake.ts";
import type { Match } from "./match-jobs.ts";
import { type JobLine, mergeLines } from "./merge-lines.ts";

/** Lines of all files of a command; `fate` is null for lines that count. */
const STAGED = `CREATE TEMP TABLE staged_lines (job INTEGER PRIMARY KEY, file INTEGER NOT NULL, line INTEGER NOT NULL,
  call_id INTEGER, caller_id INTEGER, day TEXT, stage TEXT NOT NULL, is_refund INTEGER NOT NULL, amount_micros INTEGER,
  job_key TEXT, fate TEXT)`;

/** A row for each job, with its last line; in the order of keys, so that their index grows at its end. */
const JOBS = `CREATE TEMP TABLE staged_jobs AS SELECT max(job) AS job, count(*) AS lines, file, line, call_id, caller_id, day,
  stage, is_refund, amount_micros, job_key FROM temp.staged_lines GROUP BY coalesce(job_key, job)`;

const IN_LINES = `SELECT j.rowid AS id, s.job, s.file, s.line, s.call_id, s.caller_id, s.day, s.stage, s.is_refund, s.amount_micros
FROM temp.staged_jobs AS j JOIN temp.staged_lines AS s ON s.job_key = j.job_key WHERE j.lines > 1 ORDER BY j.rowid, s.job`;

/** Lines without an id that an earlier file has, too: of several equal ones, as many as that file has. */
const IN_FILES = `SELECT job, file, line, amount_micros, first_file FROM (
  SELECT *, min(file) OVER (PARTITION BY call_id, day, stage, amount_micros, rank) AS first_file FROM (
    SELECT *, row_number() OVER (PARTITION BY call_id, day, stage, amount_micros, file ORDER BY job) AS rank
    FROM temp.staged_lines WHERE job_key IS NULL AND call_id IS NOT NULL))
WHERE file > first_file ORDER BY job`;

/** Refunds that would take the place of the job that they belong to. */
const LONE_REFUNDS = `SELECT j.rowid AS id, file, line FROM temp.staged_jobs AS j JOIN outcomes AS o ON o.job_key = j.job_key
WHERE is_refund AND coalesce(o.amount_micros, 0) >= 0`;

interface Place {
  /** The number of the file, from 1 on. */
  file: number;
  line: number;
}

/** A line that does not count, for a reason that only all lines together show. */
interface RefusedLine extends Place {
  reason: string;
}

/** The lines of a command, and the jobs that they make. */
export class StagedJobs implements Disposable {
  readonly #sqlite: Database;
  readonly #add;

  constructor(sqlite: Database) {
    this.#sqlite = sqlite;
    // One transaction, which locks nothing: each statement would write a journal.
    sqlite.exec(`BEGIN; ${STAGED}`);
    this.#add = sqlite.prepare(
      "INSERT INTO temp.staged_lines (file, line, call_id, caller_id, day, stage, is_refund, amount_micros, job_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    );
  }

  get isEmpty(): boolean {
    return this.#sqlite.prepare("SELECT 1 FROM temp.staged_lines LIMIT 1").get() === undefined;
  }

  /** @param file its number, from 1 on @param key of the job's id; undefined without one */
  add(file: number, job: ImportedJob, { call_id, caller_id, day }: Match, key: string | undefined): void {
    const { line, stage, isRefund, amount_micros } = job;
    this.#add.run(file, line, call_id, caller_id, day, stage, isRefund ? 1 : 0, amount_micros, key);
  }

  /**
   * Makes jobs of lines.
   * @returns the lines that contradict each other or are refunds of a stored job, and those that have the call of another line
   * @throws UsageError for equal amounts of one job without a rule
   */
  makeJobs(
    files: readonly string[],
    rule: LineRule | undefined,
  ): { refused: RefusedLine[]; linked: Place[] } {
    const sqlite = this.#sqlite;
    sqlite.exec(`COMMIT; BEGIN; ${JOBS}`);
    const isMerging =
      sqlite.prepare("SELECT 1 FROM temp.staged_jobs WHERE lines > 1 LIMIT 1").get() !== undefined;
    const { refused, linked } = isMerging ? this.#mergeLines(files, rule) : { refused: [], linked: [] };
    if (files.length > 1) this.#mergeFiles(files, rule);
    const refunds = sqlite.prepare<[], { id: number; file: number; line: number }>(LONE_REFUNDS).all();
    for (const { id, file, line } of refunds) {
      this.#drop(id);
      refused.push({ file, line, reason: "a refund would replace its job: give it an id of its own" });
      sqlite
        .prepare("UPDATE temp.staged_lines SET fate = 'refused' WHERE file = ? AND line = ?")
        .run(file, line);
    }
    sqlite.exec("COMMIT");
    return { refused, linked };
  }

  #mergeLines(files: readonly string[], rule: LineRule | undefined) {
    const refused: RefusedLine[] = [];
    const linked: Place[] = [];
    const sqlite = this.#sqlite;
    const setJob = sqlite.prepare(
      `UPDATE temp.staged_jobs SET file = ?, line = ?, call_id = ?, caller_id = ?, day = ?, stage = ?, is_refund = ?, amount_micros = ?
      WHERE rowid = ?`,
    );
    const setLine = sqlite.prepare("UPDATE temp.staged_lines SET fate = ?, call_id = ? WHERE job = ?");
    const all = sqlite.prepare<[], JobLine & { id: number }>(IN_LINES).all();
    for (const [id, lines] of Map.groupBy(all, ({ id }) => id)) {
      const merged = mergeLines(lines, rule);
      if ("equal" in merged) throw equalLines(merged.equal, files);
      const { first, stage, amount_micros, repeated } = merged;
      if (first === undefined) {
        this.#drop(id);
        const places = lines.map(({ file, line }) => placeOf(file, line, files));
        const reason = `one job has one caller and one stage: lines of this id contradict each other, ${listPlaces(places)}`;
        for (const { job, file, line } of lines) {
          setLine.run("refused", null, job);
          refused.push({ file, line, reason });
        }
        continue;
      }
      const { file, line, call_id, caller_id, day } = first;
      const isRefund = lines.every(({ is_refund }) => is_refund === 1) ? 1 : 0;
      setJob.run(file, line, call_id, caller_id, day, stage, isRefund, amount_micros, id);
      for (const each of lines) {
        setLine.run(repeated.includes(each) ? "repeated" : null, call_id, each.job);
        if (each.call_id === null && call_id !== null) linked.push({ file: each.file, line: each.line });
      }
    }
    return { refused, linked };
  }

  #mergeFiles(files: readonly string[], rule: LineRule | undefined): void {
    if (rule === "add") return;
    const sqlite = this.#sqlite;
    const repeated = sqlite
      .prepare<
        [],
        { job: number; file: number; line: number; amount_micros: number | null; first_file: number }
      >(IN_FILES)
      .all();
    const [first] = repeated;
    if (first !== undefined && rule === undefined)
      throw new UsageError(
        `Cannot tell whether ${placeOf(first.file, first.line, files)} is a job of its own: ${files[first.first_file - 1]} has the same`,
        { hint: LINES_HINT },
      );
    for (const { job } of repeated) {
      sqlite.prepare("UPDATE temp.staged_lines SET fate = 'repeated' WHERE job = ?").run(job);
      sqlite.prepare("DELETE FROM temp.staged_jobs WHERE job = ?").run(job);
    }
  }

  #drop(id: number): void {
    this.#sqlite.prepare("DELETE FROM temp.staged_jobs WHERE rowid = ?").run(id);
  }

  [Symbol.dispose](): void {
    const sqlite = this.#sqlite;
    if (sqlite.inTransaction) sqlite.exec("ROLLBACK");
    sqlite.exec(
      "DROP TABLE IF EXISTS temp.replaced_jobs; DROP TABLE IF EXISTS temp.staged_jobs; DROP TABLE IF EXISTS temp.staged_lines",
    );
  }
}

const LINES_HINT =
  "Pass --lines add if each line is an amount of its own, or --lines once if lines repeat an amount.";

function equalLines([one, other]: readonly [JobLine, JobLine], files: readonly string[]): UsageError {
  const amount = formatMicros(BigInt(one.amount_micros ?? 0));
  return new UsageError(
    `Cannot add up ${placeOf(one.file, one.line, files)} and ${placeOf(other.file, other.line, files)}: they have one job id and the same amount, ${amount}, so it may be the total of the job`,
    { hint: LINES_HINT },
  );
}

const placeOf = (file: number, line: number, files: readonly string[]) =>
  files.length === 1 ? `line ${line}` : `line ${line} of ${files[file - 1]}`;

const SHOWN = 5;

function listPlaces(places: readonly string[]): string {
  const more = places.length - SHOWN;
  return [...places.slice(0, SHOWN), ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}
