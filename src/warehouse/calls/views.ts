import type { Database } from "better-sqlite3";
import type { AttributionRules } from "../../calls/attribution/attribution-rules.ts";
import { CALL_COLUMNS, TRANSCRIPT_COLUMNS } from "../../calls/columns.ts";
import type { Outcome } from "../../calls/facts.ts";
import { type FactGroup, shownColumns } from "../../calls/facts.ts";
import { STAGES } from "../../calls/filter.ts";
import type { Dimension } from "../../figures/dimensions.ts";
import { CHANGED_AT, listedText, TEXT_TABLES } from "../../sources/listed-member.ts";
import { commonNameText } from "../../sources/sqlite/campaign-names-sql.ts";
import { IS_EARNED } from "../../sources/sqlite/outcome-sums.ts";
import { findOutdated, replaceOutdated, type SchemaObjects } from "../stored-objects.ts";
import type { Tx } from "../transaction.ts";
import { rollupViewText } from "./rollup-view.ts";
import { localTimeOf } from "./zone-view.ts";

export const ROLLUP_VIEWS: readonly Dimension[] = ["utm_source", "campaign", "gclid", "channel"];

const MEMBERS = [
  ...CALL_COLUMNS.filter((column) => column !== "extra" && column !== "duration"),
  ...TRANSCRIPT_COLUMNS,
];

/** The dispositions' outcomes, counted. */
const countOf = (outcome: Outcome) => `count(*) FILTER (WHERE f.outcome = '${outcome}') AS ${outcome}_calls`;

/** The columns of a group of facts. */
const columnsOf = (group: FactGroup) =>
  shownColumns(group)
    .map(({ name, fact, isCommon }) => {
      if (isCommon) return `${commonNameText()} AS ${name}`;
      if (fact === "caller") return `callers.${name}`;
      return name === fact ? `f.${fact}` : `f.${fact} AS ${name}`;
    })
    .join(", ");

const LOCAL = Object.entries(localTimeOf("f.call_started")).map(([name, sql]) => `${sql} AS ${name}`);

/** The furthest stage of a call's jobs, and what its sold jobs earned. */
const EARNED = `(SELECT o.stage FROM outcomes AS o WHERE o.call_id = f.call_id
    ORDER BY CASE o.stage ${STAGES.map((stage, rank) => `WHEN '${stage}' THEN ${rank}`).join(" ")} END DESC LIMIT 1) AS job_stage,
  (SELECT sum(amount_micros) / 1e6 FROM outcomes AS o WHERE o.call_id = f.call_id AND ${IS_EARNED}) AS revenue`;

type ViewRules = Pick<AttributionRules, "duration_unit" | "hours">;

export type View = ReturnType<typeof viewsOf>[number];

/**
 * What analysts may rely on: a version that removes or renames a view or a column, or changes what it means, has a new
 * major number. They use only the warehouse's tables, so that any SQLite shell can run them.
 */
export function viewsOf(rules: ViewRules) {
  return [
    {
      name: "attributed_calls",
      help: "One flat row for each call that counts, i.e. every call except those gone from the service, named as in API v3 § 2.3, with its facts by the rules in force, named as in the CSV file of calls. Missing values are NULL, never an empty text.",
      // Outer joins let SQLite skip the tables that a query does not use.
      sql: `${TEXT_TABLES}SELECT ${MEMBERS.map((member) => `${listedText(member)} AS ${member}`).join(",\n  ")},
  ${columnsOf("attribution")}, ${columnsOf("tags")},
  ${rules.duration_unit === "seconds" ? "f.duration" : "f.duration / 1000.0"} AS duration_seconds,
  ${columnsOf("visit")}, ${columnsOf("conversation")}, ${columnsOf("caller")},
  ${EARNED},
  ${LOCAL.join(",\n  ")},
  ${CHANGED_AT} AS changed_at
FROM call_facts AS f
  LEFT JOIN calls AS c ON c.call_id = f.call_id
  LEFT JOIN transcripts AS t ON t.call_id = f.call_id
  LEFT JOIN callers ON callers.caller_id = f.caller_id
WHERE f.is_live`,
    },
    {
      name: "attributed_callers",
      help: "One row for each caller of a call that counts: the figures of the caller's calls, and how the first one came.",
      sql: `SELECT callers.caller, count(*) AS calls, ${countOf("answered")}, ${countOf("missed")},
  count(*) FILTER (WHERE f.is_qualified) AS qualified_calls,
  min(f.call_started) AS first_call_at, max(f.call_started) AS last_call_at,
  first.source AS first_source, first.medium AS first_medium, ${commonNameText("first")} AS first_campaign,
  first.campaign AS first_campaign_as_tagged,
  first.channel AS first_channel
FROM call_facts AS f
  JOIN callers ON callers.caller_id = f.caller_id
  JOIN call_facts AS first ON first.call_id = callers.first_call_id
WHERE f.is_live GROUP BY f.caller_id`,
    },
    ...ROLLUP_VIEWS.map((dimension) => ({
      name: `rollup_${dimension}`,
      help: `The figures of \`calltally export ${dimension}\` for all calls, without the median.`,
      sql: rollupViewText(dimension, rules),
    })),
  ];
}

export function areViewsCurrent(sqlite: Database, rules: ViewRules): boolean {
  return findOutdatedViews(sqlite, rules).length === 0;
}

export function findOutdatedViews(sqlite: Database, rules: ViewRules) {
  return findOutdated(sqlite, "VIEW", textsOf(rules));
}

export function updateViews({ sqlite }: Tx, rules: ViewRules): void {
  replaceOutdated(sqlite, "VIEW", textsOf(rules));
}

function textsOf(rules: ViewRules): SchemaObjects {
  return Object.fromEntries(viewsOf(rules).map(({ name, sql }) => [name, `AS ${sql}`]));
}
