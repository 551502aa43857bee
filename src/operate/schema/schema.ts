import { UPLOAD_FILES } from "../../features/conversions/upload-files.ts";
import { UPLOADS } from "../../features/conversions/upload-table.ts";
import { INSIGHT_CHANGES, INSIGHT_GROUPS, INSIGHTS } from "../../features/insights/insights.ts";
import { NOTICES } from "../../features/notices/notice-table.ts";
import { WATCHED_DAYS } from "../../features/notices/watched-days.ts";
import { EXPORTED_ROLLUPS, EXPORTED_ROWS } from "../../features/restatements/exported-rollups.ts";
import { RESTATEMENTS } from "../../features/restatements/restatement-table.ts";
import { SPEND_IMPORTS } from "../../features/spend/spend-imports.ts";
import { WEBHOOK_CHANGES } from "../../features/webhooks/change-webhook.ts";
import { DELIVERIES } from "../../reports/delivery/delivery-table.ts";
import { REPORT_RUNS } from "../../reports/delivery/report-run-table.ts";
import { BACKUPS } from "../../warehouse/backup-table.ts";
import { CALLERS } from "../../warehouse/calls/callers.ts";
import { CALLS } from "../../warehouse/calls/calls.ts";
import { SCHEMA_DRIFT } from "../../warehouse/calls/drift.ts";
import { FACT_CHANGES } from "../../warehouse/calls/fact-log.ts";
import { CALL_FACTS } from "../../warehouse/calls/facts.ts";
import { FORGOTTEN_CALLERS } from "../../warehouse/calls/forgotten-callers.ts";
import { REJECTED_CALLS } from "../../warehouse/calls/rejected.ts";
import { RULES } from "../../warehouse/calls/rules.ts";
import { TRANSCRIPTS } from "../../warehouse/calls/transcripts.ts";
import { CAMPAIGN_NAMES, CAMPAIGNS } from "../../warehouse/campaign-table.ts";
import { CHANGED_CALLS } from "../../warehouse/changed-calls.ts";
import { COUNTS } from "../../warehouse/counts.ts";
import type { DescribedTable } from "../../warehouse/described.ts";
import { ORIGIN } from "../../warehouse/origin.ts";
import { OUTCOME_IMPORTS, OUTCOMES } from "../../warehouse/outcomes.ts";
import { PRIVACY_ACTS } from "../../warehouse/privacy-act-table.ts";
import { PUBLICATIONS } from "../../warehouse/publication-table.ts";
import { RETENTION } from "../../warehouse/retention.ts";
import { CERTIFICATES } from "../../warehouse/runs/certificate-table.ts";
import { EXPORTS } from "../../warehouse/runs/exports.ts";
import { JOBS } from "../../warehouse/runs/job-table.ts";
import { SYNC_PAGES } from "../../warehouse/runs/page-table.ts";
import { SYNC_RUNS } from "../../warehouse/runs/runs.ts";
import { SPEND } from "../../warehouse/spend.ts";
import { MOMENT } from "../../warehouse/transaction.ts";

/** All tables. Drizzle's tools read them from their own modules. */
export const TABLES: readonly DescribedTable[] = [
  CALLS,
  TRANSCRIPTS,
  CALL_FACTS,
  CALLERS,
  CAMPAIGNS,
  CAMPAIGN_NAMES,
  RULES,
  COUNTS,
  SYNC_RUNS,
  SYNC_PAGES,
  CERTIFICATES,
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
  SPEND_IMPORTS,
  OUTCOMES,
  OUTCOME_IMPORTS,
  FACT_CHANGES,
  EXPORTED_ROLLUPS,
  EXPORTED_ROWS,
  RESTATEMENTS,
  NOTICES,
  WATCHED_DAYS,
  FORGOTTEN_CALLERS,
  PRIVACY_ACTS,
  BACKUPS,
  RETENTION,
  PUBLICATIONS,
  CHANGED_CALLS,
  MOMENT,
];
