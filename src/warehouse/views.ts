import type { Database } from "better-sqlite3";
import { DNI_FIELDS } from "../call.ts";
import type { Dimension } from "../rollup/dimensions.ts";
import type { RollupRules } from "../rollup/rules.ts";
import { standaloneRollupSql } from "../rollup/sql.ts";

/** A view for analysts. */
export interface View {
  name: string;
  /** What it shows, one sentence. */
  help: string;
  /** Its SELECT; needs nothing but the warehouse's tables, so that any SQLite shell can read it. */
  sql: string;
}

const ROLLUP_VIEWS: readonly Dimension[] = ["utm_source", "campaign", "gclid", "channel"];

/** Returns the views of a warehouse whose calls are tallied by these rules. */
export function viewsOf(rules: RollupRules): View[] {
  return [
    {
      name: "attributed_calls",
      help: "One flat row for each call that is still visible at the service, named as in API v3 § 2.3.",
      sql: `SELECT c.call_id, c.insight_name, c.caller_id, c.tracking_number, c.call_started, c.duration, c.disposition,
  c.org_unit_id, c.org_unit_name, c.recording_url, ${DNI_FIELDS.map((field) => `c.${field}`).join(", ")},
  t.summary, t.transcription, t.transcription_details
FROM calls AS c LEFT JOIN transcripts AS t ON t.call_id = c.call_id
WHERE c.gone_at IS NULL`,
    },
    ...ROLLUP_VIEWS.map((dimension) => ({
      name: `rollup_${dimension}`,
      help: `What \`calltally export ${dimension}\` writes, of all calls.`,
      sql: standaloneRollupSql({ dimensions: [dimension], rules }),
    })),
  ];
}

/**
 * Makes the views say what the exports say: each is made anew where its SELECT is not that of these rules, or of this
 * version of the program. Call it inside a transaction.
 */
export function updateViews(sqlite: Database, rules: RollupRules): void {
  const stored = new Map(
    sqlite
      .prepare<[], [name: string, sql: string]>("SELECT name, sql FROM sqlite_schema WHERE type = 'view'")
      .raw()
      .all(),
  );
  for (const { name, sql } of viewsOf(rules)) {
    const statement = `CREATE VIEW ${name} AS ${sql}`;
    if (stored.get(name) !== statement) sqlite.exec(`DROP VIEW IF EXISTS ${name}; ${statement}`);
  }
}
