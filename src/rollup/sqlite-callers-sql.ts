import type { Span } from "./call-filter.ts";
import type { CallerSummary } from "./caller-summary.ts";
import { type SqliteContext, type SqlText, selectionText } from "./sqlite-rollup-sql.ts";

const ENDS = ["source", "channel", "campaign"] as const;

/** Returns the SELECT of the callers of some calls, the earliest first call first. */
export function callersText(span: Span, context: SqliteContext): SqlText {
  const { sql, values } = selectionText(span, context);
  const rank = (direction: "ASC" | "DESC") =>
    `row_number() OVER (PARTITION BY f.caller ORDER BY f.call_started ${direction} NULLS LAST, f.call_id ${direction})`;
  const columns: Record<keyof CallerSummary, string> = {
    caller: "caller",
    first_call_at: "min(call_started)",
    last_call_at: "max(call_started)",
    first_source: first("source"),
    last_source: last("source"),
    first_channel: first("channel"),
    last_channel: last("channel"),
    first_campaign: first("campaign"),
    last_campaign: last("campaign"),
    calls: "count(*)",
    answered_calls: "count(*) FILTER (WHERE outcome = 'answered')",
    missed_calls: "count(*) FILTER (WHERE outcome = 'missed')",
    missed_at: "min(missed_at)",
    answered_at: "min(call_started) FILTER (WHERE outcome = 'answered' AND call_started > missed_at)",
  };
  const list = Object.entries(columns).map(([name, text]) => `${text} AS ${name}`);
  return {
    sql: `SELECT ${list.join(",\n  ")}
FROM (
  SELECT f.caller, f.call_id, f.call_started, f.outcome, ${ENDS.map((fact) => `f.${fact}`).join(", ")},
    ${rank("ASC")} AS rank_from_first,
    ${rank("DESC")} AS rank_from_last,
    min(f.call_started) FILTER (WHERE f.outcome = 'missed') OVER (PARTITION BY f.caller) AS missed_at
  ${sql}${sql.includes("WHERE") ? " AND" : " WHERE"} f.caller IS NOT NULL
)
GROUP BY caller
ORDER BY min(call_started) NULLS LAST, ${first("call_id")}`,
    values,
  };
}

const first = (fact: (typeof ENDS)[number] | "call_id") => `max(${fact}) FILTER (WHERE rank_from_first = 1)`;
const last = (fact: (typeof ENDS)[number]) => `max(${fact}) FILTER (WHERE rank_from_last = 1)`;
