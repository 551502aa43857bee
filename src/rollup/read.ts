import type { Database } from "better-sqlite3";
import type { Alias } from "../aliases.ts";
import type { LabelledPeriod } from "../calendar/periods.ts";
import type { CallFilter } from "./filter.ts";
import { metrics } from "./metrics.ts";
import { firstCallsSql, isCompared, type RollupQuery, rollupKeys, rollupSql } from "./sql.ts";

/** A column of a rollup. */
export interface RollupColumn {
  name: string;
  type: "text" | "integer" | "decimal" | "time";
  /** Digits after the point, of a decimal. */
  decimals?: number | undefined;
  /** Whether it adds up across rows. */
  isAdditive?: boolean | undefined;
}

/** Values in the order of the columns; null where there is none. */
export type RollupRow = (string | number | null)[];

/** Digits after the point of a change, which is a share: 0.25 for a quarter more. */
const CHANGE_DECIMALS = 4;

/** Returns the columns of a rollup in their order. */
export function rollupColumns(query: RollupQuery): RollupColumn[] {
  const measures = metrics(query.rules);
  const compared = query.previousSpan ? measures.filter(isCompared) : [];
  return [
    ...rollupKeys(query).map(({ name, type }) => ({ name, type })),
    ...measures,
    ...compared.flatMap((metric): RollupColumn[] => [
      { ...metric, name: `${metric.name}_previous` },
      { name: `${metric.name}_change`, type: "decimal", decimals: CHANGE_DECIMALS },
    ]),
  ];
}

/**
 * Prepares what the rollups of this connection read: each caller's first call, once for all of them, and the aliases,
 * where others than the warehouse's are to be used. Without {@link preparePeriods} there are no periods.
 */
export function prepareRollups(
  database: Database,
  {
    filter = {},
    aliases,
    callerOf,
  }: {
    filter?: CallFilter;
    aliases?: readonly Alias[];
    /** A call whose caller alone matters. */
    callerOf?: number;
  } = {},
): void {
  const callers =
    callerOf === undefined
      ? undefined
      : `caller_id = (SELECT nullif(caller_id, '') FROM calls WHERE call_id = ${callerOf})`;
  database.exec(`DROP TABLE IF EXISTS temp.first_calls;
    CREATE TEMP TABLE first_calls (call_id INTEGER PRIMARY KEY);
    INSERT INTO temp.first_calls ${firstCallsSql(filter, callers)};
    DROP TABLE IF EXISTS temp.aliases`);
  preparePeriods(database, { periods: [], previousPeriods: [] });
  if (aliases === undefined) return;
  // It goes before the warehouse's own table of that name.
  database.exec("CREATE TEMP TABLE aliases (raw TEXT PRIMARY KEY, value TEXT NOT NULL)");
  const insert = database.prepare("INSERT INTO temp.aliases (raw, value) VALUES (?, ?)");
  for (const { raw, value } of aliases) insert.run(raw, value);
}

/**
 * Prepares the periods that rollups are cut into.
 *
 * @param periods in the order of time; those of the stretch compared with have the labels of the ones they stand beside
 */
export function preparePeriods(
  database: Database,
  { periods, previousPeriods }: Record<"periods" | "previousPeriods", readonly LabelledPeriod[]>,
): void {
  database.exec(`DROP TABLE IF EXISTS temp.periods;
    CREATE TEMP TABLE periods (side TEXT, starts_at TEXT, period TEXT, PRIMARY KEY (side, starts_at)) WITHOUT ROWID`);
  const insert = database.prepare("INSERT INTO temp.periods (side, starts_at, period) VALUES (?, ?, ?)");
  for (const { startsAt, period } of periods) insert.run("current", startsAt, period);
  for (const { startsAt, period } of previousPeriods) insert.run("previous", startsAt, period);
}

/** Reads a rollup row by row, after {@link prepareRollups}. */
export function* iterateRollup(database: Database, query: RollupQuery): Generator<RollupRow, void, void> {
  const { sql, values } = rollupSql(query);
  yield* database.prepare<[Record<string, string | number>], RollupRow>(sql).raw().iterate(values);
}

/** Counts the keys of a rollup, whatever their periods; after {@link prepareRollups}. */
export function countKeys(database: Database, query: RollupQuery): number {
  const { sql, values } = rollupSql({ ...query, byPeriod: false, fill: false });
  return (
    database
      .prepare<[Record<string, string | number>], number>(`SELECT count(*) FROM (${sql})`)
      .pluck()
      .get(values) ?? 0
  );
}
