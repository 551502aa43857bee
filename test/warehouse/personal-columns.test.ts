import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CALL_COLUMNS, type Call, TRANSCRIPT_COLUMNS } from "../../src/calls/columns.ts";
import { WITHHELD_KINDS } from "../../src/calls/privacy/keep-settings.ts";
import { withhold } from "../../src/calls/privacy/withhold.ts";
import { TABLES } from "../../src/operate/schema/schema.ts";
import { CALLS } from "../../src/warehouse/calls/calls.ts";
import { TRANSCRIPTS } from "../../src/warehouse/calls/transcripts.ts";
import { personalColumns } from "../../src/warehouse/described.ts";
import { FULL_CALL } from "../support/warehouses/calls.ts";

/** Impersonal texts, by table: times, the program's own names, hashes of files, and settings of the operator. */
const IMPERSONAL = `
  calls.tracking_number calls.call_started calls.row_hash calls.missing_since calls.gone_at calls.absent_since
  calls.unlisted_since calls.withheld
  call_facts.call_started call_facts.topic call_facts.channel call_facts.tracking_number
  callers.first_call_started
  rules.since rules.rules rules.caller_key
  counts.name
  sync_runs.started_at sync_runs.finished_at sync_runs.file_checked_at sync_runs.order_key
  sync_runs.failed_request_ids sync_runs.judged_until sync_runs.not_before
  sync_runs.first_page_at sync_runs.row_hash
  sync_pages.call_ids sync_pages.request_id sync_pages.fetched_at
  certificates.made_at certificates.sha256
  schema_drift.json_type schema_drift.first_seen_at
  exports.exported_at exports.path exports.sha256 exports.manifest_sha256 exports.caller_key
  jobs.job jobs.started_at jobs.finished_at jobs.succeeded_at jobs.failing_since
  report_runs.report report_runs.account report_runs.scheduled_for report_runs.started_at
  report_runs.finished_at report_runs.range_from report_runs.range_to report_runs.folder report_runs.files
  report_runs.process
  deliveries.started_at deliveries.finished_at deliveries.message_id deliveries.process
  insights.insight_type insights.indicator_score_type insights.insight_status insights.hit_outcome_by
  insights.hit_mention insights.miss_outcome_by insights.miss_mention insights.insight_output
  insights.start_date insights.indicator_start_date insights.indicator_end_date insights.start_date_parsed
  insights.indicator_start_date_parsed insights.indicator_end_date_parsed insights.creation_date
  insights.last_updated insights.created_at insights.updated_at insights.deleted_at insights.fetched_at
  insight_changes.seen_at insight_changes.member
  webhook_changes.sent_at webhook_changes.request_id
  origin.warehouse_id origin.base_url origin.org_unit_id origin.account origin.token_mark origin.bound_at
  upload_files.contents upload_files.path upload_files.sha256 upload_files.written_at upload_files.draft upload_files.process
  upload_files.replaced_sha256 upload_files.caller_key upload_files.forgotten_at
  uploads.conversion_name uploads.order_id uploads.reason uploads.value uploads.currency uploads.occurred_at
  spend.day spend.currency spend.imported_at
  spend_imports.imported_at spend_imports.first_day spend_imports.last_day spend_imports.currency
  spend_imports.removed_at
  outcomes.day outcomes.currency outcome_imports.imported_at outcome_imports.first_day outcome_imports.last_day
  outcome_imports.caller_key outcome_imports.removed_at
  fact_changes.changed_at fact_changes.call_started fact_changes.outcome fact_changes.topic fact_changes.in_hours
  fact_changes.channel fact_changes.tracking_number
  exported_rollups.path exported_rollups.contents exported_rollups.metrics exported_rollups.range_from
  exported_rollups.range_to exported_rollups.first_day exported_rollups.last_day
  exported_rollups.settled_until exported_rollups.exported_at
  exported_rows.period exported_rows.figures
  restatements.found_at restatements.path restatements.contents restatements.period restatements.starts_at
  restatements.ends_at restatements.metric restatements.was restatements.now restatements.exported_at
  restatements.reasons restatements.rules_changed
  notices.since notices.judged_until notices.noticed_at notices.ended_at notices.end_noticed_at
  watched_days.day watched_days.delays
  forgotten_callers.pseudonym forgotten_callers.key_mark forgotten_callers.forgotten_at
  privacy_acts.at privacy_acts.counts privacy_acts.erased_at
  backups.path backups.backed_up_at
  retention.pruned_before
  publications.target publications.account publications.attempted_at publications.published_at
  publications.hashed_at
`;

/** Tables by the rows of the first table in docs/privacy.md, with their personal data. */
function readPrivacyPage(): { tables: string[]; personal: string }[] {
  const [, table = ""] = readFileSync("docs/privacy.md", "utf8").split("|---|---|---|\n");
  const [own = ""] = table.split("\n\n");
  const rows = own.split("\n").map((line) => line.split(" | "));
  const names = new Set(TABLES.map(({ name }) => name));
  return rows.map(([where = "", personal = ""]) => ({
    tables: [...where.matchAll(/`(\w+)`/g)].flatMap(([, name = ""]) => (names.has(name) ? [name] : [])),
    personal,
  }));
}

describe("text columns", () => {
  it("each text column is marked as personal in its definition unless it is an enum or listed here as impersonal", () => {
    const unmarked = TABLES.flatMap(({ name, columns }) =>
      columns.flatMap((column) =>
        column.type === "text" && column.personal === undefined && !column.isEnum
          ? `${name}.${column.name}`
          : [],
      ),
    );
    const names = new Set(TABLES.map(({ name }) => name));
    const impersonal = IMPERSONAL.trim().split(/\s+/);
    expect(unmarked).toEqual(impersonal.filter((column) => names.has(column.split(".")[0] ?? "")));
  });

  it.each(WITHHELD_KINDS)("of calls with the mark %s are those that `keep` withholds", (kind) => {
    const extra = '{"score":3}';
    const call: Call = { ...FULL_CALL, extra };
    const kept = withhold(call, [kind]).call;
    const changed = [...CALL_COLUMNS, ...TRANSCRIPT_COLUMNS].filter(
      (column) => kept[column] !== call[column],
    );
    const marked = [CALLS, TRANSCRIPTS].flatMap((table) => personalColumns(table, [kind]));
    expect(changed).toEqual(marked.map(({ name }) => name));
  });
});

describe("docs/privacy.md", () => {
  it("states for each table once which personal data it has, or that it has none", () => {
    const rows = readPrivacyPage();
    expect(rows.flatMap(({ tables }) => tables).sort()).toEqual(TABLES.map(({ name }) => name).sort());
    const impersonal = rows.filter(({ personal }) => personal.startsWith("nothing of callers"));
    const unmarked = TABLES.filter(({ columns }) => columns.every(({ personal }) => personal === undefined));
    expect(impersonal.flatMap(({ tables }) => tables).sort()).toEqual(
      unmarked.map(({ name }) => name).sort(),
    );
  });
});
