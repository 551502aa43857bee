import { UPLOAD_FILES, upload_files } from "../conversions/upload-files.ts";
import { UPLOADS, uploads } from "../conversions/upload-table.ts";
import { DELIVERIES, deliveries } from "../delivery/delivery-table.ts";
import { REPORT_RUNS, report_runs } from "../delivery/report-run-table.ts";
import { INSIGHT_CHANGES, insight_changes } from "../insights/insight-changes.ts";
import { INSIGHT_GROUPS, INSIGHTS, insight_groups, insights } from "../insights/insights.ts";
import { EXPORTED_ROLLUPS, exported_rollups } from "../restatements/exported-rollups.ts";
import { EXPORTED_ROWS, exported_rows } from "../restatements/exported-rows.ts";
import { RESTATEMENTS, restatements } from "../restatements/restatement-table.ts";
import { SPEND, spend } from "../spend/spend-table.ts";
import { BACKUPS, backups } from "../warehouse/backup-table.ts";
import { CALLERS, callers } from "../warehouse/calls/callers.ts";
import { CALLS, calls } from "../warehouse/calls/calls.ts";
import { SCHEMA_DRIFT, schema_drift } from "../warehouse/calls/drift.ts";
import { FACT_CHANGES, fact_changes } from "../warehouse/calls/fact-log.ts";
import { CALL_FACTS, call_facts } from "../warehouse/calls/facts.ts";
import { FORGOTTEN_CALLERS, forgotten_callers } from "../warehouse/calls/forgotten-callers.ts";
import { REJECTED_CALLS, rejected_calls } from "../warehouse/calls/rejected.ts";
import { RULES, rules } from "../warehouse/calls/rules.ts";
import { TRANSCRIPTS, transcripts } from "../warehouse/calls/transcripts.ts";
import { CHANGED_BUCKETS, changed_buckets } from "../warehouse/changed-buckets.ts";
import { COUNTS, counts } from "../warehouse/counts.ts";
import type { DescribedTable } from "../warehouse/described.ts";
import { ORIGIN, origin } from "../warehouse/origin.ts";
import { PRIVACY_ACTS, privacy_acts } from "../warehouse/privacy-act-table.ts";
import { PUBLICATIONS, publications } from "../warehouse/publication-table.ts";
import { RETENTION, retention } from "../warehouse/retention.ts";
import { EXPORTS, exports } from "../warehouse/runs/exports.ts";
import { JOBS, jobs } from "../warehouse/runs/job-table.ts";
import { SYNC_PAGES, sync_pages } from "../warehouse/runs/page-table.ts";
import { SYNC_RUNS, sync_runs } from "../warehouse/runs/runs.ts";
import { WEBHOOK_CHANGES, webhook_changes } from "../webhooks/webhook-change-table.ts";

/** All tables. Drizzle's tools read the exports of this file. */
export const TABLES: readonly DescribedTable[] = [
  CALLS,
  TRANSCRIPTS,
  CALL_FACTS,
  CALLERS,
  RULES,
  COUNTS,
  SYNC_RUNS,
  SYNC_PAGES,
  REJECTED_CALLS,
  SCHEMA_DRIFT,
  EXPORTS,
  JOBS,
  REPORT_RUNS,
  DELIVERIES,
  INSIGHTS,
  INSIGHT_GROUPS,
  INSIGHT_CHANGES,
  WEBHOOK_CHANGES,
  ORIGIN,
  UPLOAD_FILES,
  UPLOADS,
  SPEND,
  FACT_CHANGES,
  EXPORTED_ROLLUPS,
  EXPORTED_ROWS,
  RESTATEMENTS,
  FORGOTTEN_CALLERS,
  PRIVACY_ACTS,
  BACKUPS,
  RETENTION,
  PUBLICATIONS,
  CHANGED_BUCKETS,
];

export {
  backups,
  call_facts,
  callers,
  calls,
  changed_buckets,
  counts,
  deliveries,
  exported_rollups,
  exported_rows,
  exports,
  fact_changes,
  forgotten_callers,
  insight_changes,
  insight_groups,
  insights,
  jobs,
  origin,
  privacy_acts,
  publications,
  rejected_calls,
  report_runs,
  restatements,
  retention,
  rules,
  schema_drift,
  spend,
  sync_pages,
  sync_runs,
  transcripts,
  upload_files,
  uploads,
  webhook_changes,
};
