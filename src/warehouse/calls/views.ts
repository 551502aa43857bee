import type { Database } from "better-sqlite3";
import type { AttributionRules } from "../../attribution/attribution-rules.ts";
import { CALL_COLUMNS, TRANSCRIPT_COLUMNS } from "../../call.ts";
import type { Dimension } from "../../rollup/dimensions.ts";
import { listedText } from "../../rollup/listed-member.ts";
import { rollupViewText } from "../../rollup/rollup-sql.ts";
import { findOutdated, replaceOutdated, type SchemaObjects } from "../stored-objects.ts";
import type { Tx } from "../transaction.ts";

const ROLLUP_VIEWS: readonly Dimension[] = ["utm_source", "campaign", "gclid", "channel"];

const MEMBERS = [...CALL_COLUMNS.filter((column) => column !== "extra"), ...TRANSCRIPT_COLUMNS];

const UTM_FOLDED =
  "f.utm_source_folded, f.utm_medium_folded, f.utm_campaign_folded, f.utm_content_folded, f.utm_term_folded";

type ViewRules = Pick<AttributionRules, "duration_unit">;

export type View = ReturnType<typeof viewsOf>[number];

/** They use only the warehouse's tables, so that any SQLite shell can run them. */
export function viewsOf(rules: ViewRules) {
  return [
    {
      name: "attributed_calls",
      help: "One flat row for each call that counts, i.e. every call except those gone from the service, named as in API v3 § 2.3, with its facts by the rules in force. Missing values are NULL, never an empty text.",
      // Outer joins let SQLite skip the tables that a query does not use.
      sql: `SELECT ${MEMBERS.map((member) => `${listedText(member)} AS ${member}`).join(", ")},
  f.source, f.medium, f.campaign, f.channel, ${UTM_FOLDED},
  f.referring_host, f.outcome, f.topic, f.is_qualified, f.is_first_call, f.caller
FROM call_facts AS f
  LEFT JOIN calls AS c ON c.call_id = f.call_id
  LEFT JOIN transcripts AS t ON t.call_id = f.call_id
WHERE f.is_live`,
    },
    ...ROLLUP_VIEWS.map((dimension) => ({
      name: `rollup_${dimension}`,
      help: `The figures of \`calltally export ${dimension}\` for all calls, without the median.`,
      sql: rollupViewText(dimension, rules),
    })),
  ];
}

export function areViewsCurrent(sqlite: Database, rules: ViewRules): boolean {
  return findOutdated(sqlite, "VIEW", textsOf(rules)).length === 0;
}

export function updateViews({ sqlite }: Tx, rules: ViewRules): void {
  replaceOutdated(sqlite, "VIEW", textsOf(rules));
}

function textsOf(rules: ViewRules): SchemaObjects {
  return Object.fromEntries(viewsOf(rules).map(({ name, sql }) => [name, `AS ${sql}`]));
}
