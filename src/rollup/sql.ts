import { type Dimension, keyColumns } from "./dimensions.ts";
import { callFacts, metrics } from "./metrics.ts";
import type { RollupRules } from "./rules.ts";

/**
 * Selects the `call_id` of each caller's first live call: of two at the same moment the one with the lower id, and one
 * of unknown time only where there is no other.
 */
export const FIRST_CALLS_SQL = `SELECT call_id FROM (
    SELECT call_id, row_number() OVER (PARTITION BY caller_id ORDER BY call_started NULLS LAST, call_id) AS place
    FROM calls WHERE gone_at IS NULL AND caller_id <> ''
  ) WHERE place = 1`;

export interface RollupQuery {
  dimension: Dimension;
  rules: RollupRules;
  /** Whether utm values are grouped as they are stored. @default false */
  raw?: boolean;
}

/**
 * Returns the SELECT of a rollup: key columns, then {@link metrics}; most calls first, then by key. It reads the
 * callers' first calls from `first_calls`, which {@link standaloneRollupSql} brings along.
 */
export function rollupSql({ dimension, rules, raw = false }: RollupQuery): string {
  const keys = keyColumns(dimension, { raw });
  const names = keys.map((key) => key.name).join(", ");
  return `SELECT ${names},
  ${metrics(rules)
    .map((metric) => `${metric.sql} AS ${metric.name}`)
    .join(",\n  ")}
FROM (
  SELECT ${[...keys.map((key) => `${key.sql} AS ${key.name}`), ...callFacts(rules)].join(",\n    ")}
  FROM calls AS c ${keys.map((key) => key.join ?? "").join(" ")}
  WHERE c.gone_at IS NULL
)
GROUP BY ${names}
ORDER BY calls DESC, ${names}`;
}

/** Returns a rollup's SELECT that needs nothing beside the warehouse's tables. */
export function standaloneRollupSql(query: RollupQuery): string {
  return `WITH first_calls AS MATERIALIZED (${FIRST_CALLS_SQL})\n${rollupSql(query)}`;
}
