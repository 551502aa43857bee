import { getTableColumns, getTableName, is } from "drizzle-orm";
import { SQLiteTable } from "drizzle-orm/sqlite-core";
import { describe, expect, it } from "vitest";
import { FREE_TEXTS } from "../../src/forget/forget-callers.ts";
import * as schema from "../../src/warehouse/schema.ts";

/** What `forget` strips, or writes anew, of the calls of a caller: these tables have modules of their own. */
const OF_CALLS = new Set([
  "calls",
  "transcripts",
  "call_facts",
  "callers",
  "rejected_calls",
  "forgotten_callers",
]);

/** Texts that name nobody: times, names of ours, hashes of files, and what the operator has set. */
const NOBODYS = `
  rules.since rules.rules counts.name
  sync_runs.started_at sync_runs.finished_at sync_runs.mode sync_runs.status sync_runs.file_checked_at sync_runs.verdict
  sync_runs.call_order sync_runs.order_key sync_runs.sort sync_runs.failed_request_ids sync_runs.not_before
  sync_pages.call_ids sync_pages.request_id sync_pages.fetched_at
  schema_drift.kind schema_drift.json_type schema_drift.first_seen_at
  exports.exported_at exports.path exports.sha256
  jobs.job jobs.started_at jobs.finished_at jobs.succeeded_at jobs.failing_since
  report_runs.report report_runs.account report_runs.scheduled_for report_runs.started_at report_runs.finished_at
  report_runs.status report_runs.verdict report_runs.range_from report_runs.range_to report_runs.folder report_runs.files
  report_runs.process
  deliveries.channel deliveries.recipient deliveries.status deliveries.started_at deliveries.finished_at
  deliveries.message_id deliveries.process
  insights.insight_type insights.indicator_score_type insights.insight_status insights.hit_outcome_by insights.hit_mention
  insights.miss_outcome_by insights.miss_mention insights.insight_output insights.start_date insights.indicator_start_date
  insights.indicator_end_date insights.start_date_parsed insights.indicator_start_date_parsed
  insights.indicator_end_date_parsed insights.creation_date insights.last_updated insights.created_at insights.updated_at
  insights.deleted_at insights.fetched_at
  insight_changes.seen_at insight_changes.member
  webhook_changes.sent_at webhook_changes.method webhook_changes.outcome webhook_changes.request_id
  origin.warehouse_id origin.base_url origin.org_unit_id origin.account origin.token_mark origin.bound_at
  upload_files.contents upload_files.path upload_files.sha256 upload_files.written_at upload_files.draft
  upload_files.process upload_files.replaced_sha256 upload_files.forgotten_at upload_files.caller_key
  uploads.conversion_name uploads.key_digest uploads.order_id uploads.action uploads.reason uploads.value uploads.currency uploads.occurred_at
  fact_changes.changed_at fact_changes.reason fact_changes.call_started fact_changes.outcome fact_changes.channel
  fact_changes.tracking_number
  exported_rollups.path exported_rollups.contents exported_rollups.metrics exported_rollups.range_from
  exported_rollups.range_to exported_rollups.first_day exported_rollups.last_day exported_rollups.settled_until
  exported_rollups.exported_at exported_rows.period exported_rows.figures
  restatements.found_at restatements.path restatements.contents restatements.period restatements.starts_at
  restatements.ends_at restatements.metric restatements.was restatements.now restatements.given_out_at
  restatements.reasons restatements.rules_changed
  spend.day spend.currency spend.imported_at
  rules.caller_key retention.kind retention.pruned_before
  privacy_acts.at privacy_acts.act privacy_acts.counts privacy_acts.erased_at
  backups.path backups.backed_up_at
  publications.target publications.account publications.attempted_at publications.published_at
  publications.hashed_at publications.totals
`;

const textColumns = Object.values(schema).flatMap((table) => {
  if (!is(table, SQLiteTable)) return [];
  const texts = Object.entries(getTableColumns(table)).filter(([, column]) => column.getSQLType() === "text");
  return texts.map(([column]) => ({ table: getTableName(table), column }));
});

describe("forget", () => {
  it("is decided about for every column that holds text: a new one needs a place in forget.ts, or here", () => {
    const decided = new Set([
      ...FREE_TEXTS.flatMap(({ table, columns }) =>
        columns.map((column) => `${getTableName(table)}.${column}`),
      ),
      ...NOBODYS.trim().split(/\s+/),
      "fact_changes.caller",
      "schema_drift.path",
      "sync_pages.order_members",
    ]);
    const others = textColumns.filter(({ table }) => !OF_CALLS.has(table));
    const names = others.map(({ table, column }) => `${table}.${column}`);
    expect(new Set(names)).toEqual(decided);
  });

  it("gives callers their pseudonym wherever a column is named after them", () => {
    const named = textColumns.filter(({ column }) => /^caller(_id)?$/.test(column));
    expect(named.map(({ table, column }) => `${table}.${column}`)).toEqual([
      "calls.caller_id",
      "call_facts.caller",
      "callers.caller",
      "fact_changes.caller",
    ]);
  });
});
