import { sql } from "drizzle-orm";
import { integer, real, sqliteView, text } from "drizzle-orm/sqlite-core";
import { DNI_FIELDS } from "../call.ts";
import type { Dimension } from "../rollup/dimensions.ts";
import { DEFAULT_RULES } from "../rollup/rules.ts";
import { standaloneRollupSql } from "../rollup/sql.ts";

/** One flat row for each call that is still visible at the service, named as in API v3 § 2.3. */
export const attributed_calls = sqliteView("attributed_calls", {
  call_id: integer(),
}).as(
  sql.raw(`SELECT c.call_id, c.insight_name, c.caller_id, c.tracking_number, c.call_started, c.duration, c.disposition,
  c.org_unit_id, c.org_unit_name, c.recording_url, ${DNI_FIELDS.map((field) => `c.${field}`).join(", ")},
  t.summary, t.transcription, t.transcription_details
FROM calls AS c LEFT JOIN transcripts AS t ON t.call_id = c.call_id
WHERE c.gone_at IS NULL`),
);

/** The default rollups, by the default rules. */
export const rollup_utm_source = rollupView("utm_source");
export const rollup_campaign = rollupView("campaign");
export const rollup_gclid = rollupView("gclid");

function rollupView(dimension: Dimension) {
  return sqliteView(`rollup_${dimension}`, { calls: integer(), answer_rate: real(), [dimension]: text() }).as(
    sql.raw(standaloneRollupSql({ dimension, rules: DEFAULT_RULES })),
  );
}
