import type { Database } from "better-sqlite3";
import type { FactColumn } from "../../attribution/attribute-call.ts";
import { CHANGE_REASONS, type ChangeReason } from "../change-reasons.ts";
import { keyColumns } from "../dimensions.ts";
import type { Engine } from "../engine.ts";
import { type FigureSessionOptions, type Row, selectionOf, type Value } from "../figure-session.ts";
import { callMeasures, measuresOf, type RollupQuery } from "../rollup-query.ts";
import type { SqlText } from "../sql-text.ts";
import { effectsText, stepsText } from "./sqlite-effects-sql.ts";
import { readOffsets } from "./sqlite-engine.ts";

/** The effect of changed calls, for one reason, on one row of a rollup. */
export interface RowEffect {
  /** Values of the key columns, after the period if there is one. */
  key: Row;
  reason: ChangeReason;
  /** By the name of a metric: how many calls changed it, and by how much in all; null if it does not add up. */
  figures: ReadonlyMap<string, { calls: number; effect: number | null }>;
}

/**
 * Reads the effects of changed calls on the rows of a rollup, of values that are not raw and calls that are not gone. The
 * effects on a row add up to the difference between its present sums and those when the changes began.
 *
 * @param changes.since the last row in `fact_changes` that is left out
 * @param changes.zone IANA zone of weekdays and hours
 */
export function* readEffects(
  database: Database,
  engine: Engine,
  options: FigureSessionOptions,
  { query, since, zone }: { query: RollupQuery; since: number; zone: string },
): Generator<RowEffect> {
  const facts = database
    .prepare<[], string>("SELECT name FROM pragma_table_info('call_facts')")
    .pluck()
    .all();
  const steps = engine.makeTable(["sign", "reason", ...facts].join(", "));
  database.prepare(stepsText(steps, facts)).run({ since });
  // The facts before a change may have values that no call has any more.
  const readValues = (fact: FactColumn) =>
    database.prepare<[], Value>(`SELECT DISTINCT ${fact} FROM ${steps}`).pluck().all();
  const selection = { ...selectionOf(options, readValues), isGoneCounted: false, facts: steps };
  const offsets = query.offsets && readOffsets(database, zone, steps);
  const measures = callMeasures(measuresOf(query, options.rules));
  const keys = keyColumns(query.dimensions).length + (query.periods ? 1 : 0);
  const { sql, values } = effectsText({ ...query, offsets }, selection);
  for (const row of database.prepare<[SqlText["values"]], Row>(sql).raw().iterate(values)) {
    const reason = CHANGE_REASONS.find((known) => known === row[keys]);
    if (reason === undefined) throw new Error(`fact_changes has an unknown reason: ${row[keys]}`);
    const figures = measures.map(({ name }, index): [string, { calls: number; effect: number | null }] => {
      const [calls, effect = null] = row.slice(keys + 1 + 2 * index);
      return [name, { calls: Number(calls), effect: effect === null ? null : Number(effect) }];
    });
    yield { key: row.slice(0, keys), reason, figures: new Map(figures) };
  }
}
