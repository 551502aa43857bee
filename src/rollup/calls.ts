import type { Database } from "better-sqlite3";
import { type CallFilter, filterConditions, type Span, spanConditions } from "./filter.ts";
import type { RollupRow } from "./read.ts";
import { callsWith } from "./row.ts";
import type { RollupRules } from "./rules.ts";

/** Which calls a list of calls has. */
export interface CallQuery {
  filter: CallFilter;
  span: Span;
  rules: RollupRules;
}

/**
 * Puts the calls of a query into the table `selected` of this connection, in the order of time, those of unknown time
 * last; returns their number. Ids alone, so that it is small whatever the calls hold.
 */
export function selectCalls(database: Database, { filter, span, rules }: CallQuery): number {
  const inFilter = filterConditions(filter, rules);
  const inSpan = spanConditions(span, "span");
  const where = [...inFilter.sql, ...inSpan.sql];
  makeSelected(database);
  const insert = database.prepare(`INSERT INTO temp.selected (call_id)
    SELECT c.call_id ${callsWith(where)} ${where.length > 0 ? `WHERE ${where.join(" AND ")}` : ""}
    ORDER BY c.call_started NULLS LAST, c.call_id`);
  return insert.run({ ...inFilter.values, ...inSpan.values }).changes;
}

/** Selects one call, whether the service still shows it or not; returns whether there is such a call. */
export function selectCall(database: Database, callId: number): boolean {
  makeSelected(database);
  const insert = database.prepare(
    "INSERT INTO temp.selected (call_id) SELECT call_id FROM calls WHERE call_id = ?",
  );
  return insert.run(callId).changes === 1;
}

function makeSelected(database: Database): void {
  database.exec(
    "DROP TABLE IF EXISTS temp.selected; CREATE TEMP TABLE selected (place INTEGER PRIMARY KEY, call_id INTEGER NOT NULL)",
  );
}

/** Reads what some expressions over `calls AS c` say of each selected call, after {@link selectCalls}. */
export function* iterateSelected(
  database: Database,
  expressions: readonly string[],
): Generator<RollupRow, void, void> {
  const sql = `SELECT ${expressions.join(",\n  ")}
${callsWith(expressions, "selected CROSS JOIN calls AS c ON c.call_id = selected.call_id")}
ORDER BY selected.place`;
  yield* database.prepare<[], RollupRow>(sql).raw().iterate();
}
