import type { Database } from "better-sqlite3";
import { toInstants } from "../../base/calendar/dates.ts";
import type { OutcomeForm } from "../../figures/metrics.ts";
import type { Engine, ReadOutcomes } from "../engine.ts";
import { formText } from "../sql-text.ts";

/** Whether the amount of a job counts: it was sold, or something was paid back, whatever the job's stage is. */
export const IS_EARNED = "(stage = 'sold' OR amount_micros < 0)";
export const REVENUE = `sum(amount_micros) FILTER (WHERE ${IS_EARNED})`;

/** A row for each call that has an outcome. */
export const OUTCOMES_BY_CALL = `SELECT call_id, NULL AS day, max(stage <> 'lost') AS booked, max(stage = 'sold') AS sold,
  coalesce(${REVENUE}, 0) AS revenue_micros FROM outcomes GROUP BY call_id`;
/** Its columns that figures are made of. */
export const OUTCOME_SUMS = ["booked", "sold", "revenue_micros"] as const;
/** A condition on these rows: lost jobs count nowhere. */
export const HAS_EARNED = `(${OUTCOME_SUMS.map((name) => `f.${name} <> 0`).join(" OR ")})`;

/** A row for each call and day of its jobs; the call is counted on the day of its first such job. */
const BY_JOB_DATE = `SELECT call_id, day, min(day) FILTER (WHERE max(stage <> 'lost')) OVER of_call = day AND max(stage <> 'lost'),
  min(day) FILTER (WHERE max(stage = 'sold')) OVER of_call = day AND max(stage = 'sold'), coalesce(${REVENUE}, 0)
FROM outcomes GROUP BY call_id, day WINDOW of_call AS (PARTITION BY call_id)`;

/** The jobs of the latest import of each source. */
const LATEST = `SELECT coalesce(sum(jobs), 0) AS jobs, coalesce(sum(matched), 0) AS matched FROM outcome_imports
WHERE removed_at IS NULL AND (source, imported_at) IN (
  SELECT source, max(imported_at) FROM outcome_imports WHERE removed_at IS NULL GROUP BY source)`;

/** Returns a table of facts with `booked`, `sold` and `revenue_micros`, in which a call starts when it is counted. */
export function makeOutcomeTable(
  database: Database,
  makeTable: Engine["makeTable"],
  { by, zone }: { by: OutcomeForm["by"]; zone: string },
): Omit<ReadOutcomes, "byCell" | "readExtent"> & { table: string } {
  const all = <Found>(sql: string) => database.prepare<[], Found>(sql).all();
  const [form] = all<{ currency: string | null; decimals: number | null }>(
    `SELECT ${formText("amount_micros")} FROM outcomes`,
  );
  const [{ jobs, matched } = { jobs: 0, matched: 0 }] = all<{ jobs: number; matched: number }>(LATEST);
  const sums = makeTable("call_id INTEGER, day TEXT, booked INTEGER, sold INTEGER, revenue_micros INTEGER");
  database.exec(`INSERT INTO ${sums} ${by === "call" ? OUTCOMES_BY_CALL : BY_JOB_DATE}`);
  const days = makeTable("day TEXT PRIMARY KEY, starts_at TEXT NOT NULL");
  const insertDay = database.prepare(`INSERT INTO ${days} VALUES (?, ?)`);
  for (const { day } of all<{ day: string }>(`SELECT DISTINCT day FROM ${sums} WHERE day IS NOT NULL`)) {
    insertDay.run(day, toInstants({ from: day }, zone).startsAt);
  }
  // Of two columns with one name, SQLite takes the first.
  const start = by === "call" ? "" : "d.starts_at AS call_started, ";
  const join = by === "call" ? "" : ` JOIN ${days} AS d ON d.day = o.day`;
  return {
    table: `(SELECT ${start}o.booked, o.sold, o.revenue_micros, f.* FROM ${sums} AS o CROSS JOIN call_facts AS f ON f.call_id = o.call_id${join})`,
    form: { currency: form?.currency ?? undefined, decimals: form?.decimals ?? 2, by },
    jobs,
    matched,
  };
}
