import { sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { FactColumn } from "../attribution/attribute-call.ts";
import type { Channel } from "../attribution/channel-rules.ts";
import { OUTCOMES } from "../attribution/compiled-rules.ts";
import { SORTS } from "../paging/order-key.ts";
import { VERDICTS } from "../paging/verdict.ts";
import { WITHHELD_KINDS } from "../privacy/keep-settings.ts";
import { CHANGE_REASONS } from "../rollup/change-reasons.ts";

/** One attributed call (API v3 § 2.3), under the API's own names, with its texts as served: empty ones and `(not set)` too, where `attributed_calls` has NULL. */
export const calls = sqliteTable(
  "calls",
  {
    /** The service's identifier. */
    call_id: integer().primaryKey(),
    /** Campaign or source name. */
    insight_name: text(),
    /** The caller's phone number, international format. */
    caller_id: text(),
    /** The number that was called, international format. */
    tracking_number: text(),
    /** Start of the call, ISO 8601 UTC with milliseconds. */
    call_started: text(),
    /** As served; seconds unless CALLTALLY_DURATION_UNIT says otherwise. */
    duration: integer(),
    /** As served, e.g. ANSWERED. */
    disposition: text(),
    /** The group (organization unit) that the call belongs to. */
    org_unit_id: integer(),
    /** The group's name. */
    org_unit_name: text(),
    /** Signed link to the recording: a secret while it lives, a dead link after. */
    recording_url: text(),
    /** `utm_source` of the visit before the call, as served. */
    utm_source: text(),
    /** `utm_medium` of the visit, as served. */
    utm_medium: text(),
    /** `utm_campaign` of the visit, as served. */
    utm_campaign: text(),
    /** `utm_content` of the visit, as served. */
    utm_content: text(),
    /** `utm_term` of the visit, as served. */
    utm_term: text(),
    /** Google click id, byte for byte as served. */
    gclid: text(),
    /** Says where the Google click id comes from, e.g. aw.ds or 3p.ds. */
    gclsrc: text(),
    /** Google Analytics client id. */
    google_analytics_cid: text(),
    /** Address of the page that the visit came from. */
    referring_url: text(),
    /** The campaign's name, as served. */
    campaign_name: text(),
    /** The campaign's identifier, as served. */
    campaign_id: text(),
    /** JSON object of members the API document does not name; of each the type alone, as {"type":"string"}, where a `keep` setting or `forget` withholds anything. */
    extra: text(),
    /** Hash of the call's content as it is stored, the recording's signature left out: BLAKE2b. */
    row_hash: text().notNull(),
    /** The run that first read this call. */
    first_run_id: integer().notNull(),
    /** The run that last read it with other content. */
    changed_run_id: integer().notNull(),
    /** Start of the first verified full pass that did not meet the call, ISO 8601 UTC. */
    missing_since: text(),
    /** When the call was marked as gone from the service, ISO 8601 UTC. */
    gone_at: text(),
    /** Of a service without an order key: start of the first of the passes in a row that did not meet the call, ISO 8601 UTC. */
    absent_since: text(),
    /** How many passes in a row that were; after three of them over a day the call is gone. */
    absent_passes: integer(),
    /** Start of the first verified full pass whose oldest call began later, or at the same time: the call has left the list, as from a service that lists the last 180 days, and still counts. ISO 8601 UTC. */
    unlisted_since: text(),
    /** Hash of the call as the service sent it last, the recording's signature left out: by it it is recognized. Of a call whose number is not kept it is under the key beside the warehouse. */
    served_hash: text(),
    /** What of the call is not kept, of transcripts, summaries, caller_numbers, recording_urls and extra, separated by commas; null where all of it is. */
    withheld: text(),
    /** Keyed digest of the caller, as in caller_hash, where the number is not kept; else null. */
    caller_digest: text(),
  },
  (table) => [
    index("calls_missing").on(table.gone_at).where(sql`missing_since IS NOT NULL`),
    index("calls_absent").on(table.absent_since).where(sql`absent_since IS NOT NULL`),
    index("calls_unlisted").on(table.unlisted_since).where(sql`unlisted_since IS NOT NULL`),
  ],
);

/** What was said in a call; apart from `calls`, so that rollups never read the text. */
export const transcripts = sqliteTable("transcripts", {
  /** The call in `calls`. */
  call_id: integer()
    .primaryKey()
    .references(() => calls.call_id, { onDelete: "cascade" }),
  /** AI-generated summary. */
  summary: text(),
  /** Full text. */
  transcription: text(),
  /** JSON array of {channel, time (mm:ss), text}. */
  transcription_details: text(),
});

/** What is true of each call by the rules in force, one row a call: all that figures, lists and filters are made from. */
export const call_facts = sqliteTable(
  "call_facts",
  {
    /** The call in `calls`. */
    call_id: integer()
      .primaryKey()
      .references(() => calls.call_id, { onDelete: "cascade" }),
    /** 0 once `gone_at` in `calls` is set: figures leave the call out. 1 for all others, missing and unlisted ones as well. */
    is_live: integer({ mode: "boolean" }).notNull(),
    /** Start of the call, ISO 8601 UTC with milliseconds. */
    call_started: text(),
    /** As served; seconds unless CALLTALLY_DURATION_UNIT says otherwise. From -2147483647 to 2147483647, so that sums are exact. */
    duration: integer(),
    /** answered, missed or other, by the disposition. */
    outcome: text({ enum: OUTCOMES }).notNull(),
    /** 1 where the call was answered and lasted long enough. */
    is_qualified: integer({ mode: "boolean" }).notNull(),
    /** 1 where it is the first live call of its caller. */
    is_first_call: integer({ mode: "boolean" }).notNull(),
    /** The caller's number as `+` and its digits, however it is written; its keyed digest, as in caller_hash, where the rules say so. */
    caller: text(),
    /** utm_source folded; else google where a Google ad was clicked, else by the referrer; `(direct)` without any of these. */
    source: text(),
    /** utm_medium folded; cpc where it is missing or organic and a Google ad was clicked; else organic, referral or `(none)`. */
    medium: text(),
    /** The campaign's name: campaign_name, else utm_campaign. */
    campaign: text(),
    /** The campaign's identifier. */
    campaign_id: text(),
    /** Google click id. */
    gclid: text(),
    /** Says where the Google click id comes from, in lower case. */
    gclsrc: text(),
    /** GA4's default channel group. */
    channel: text().$type<Channel>().notNull(),
    /** Host of `referring_url` by the URL standard, in ASCII, without www. */
    referring_host: text(),
    /** `utm_source` trimmed, lower-cased, by its alias: the dimension utm_source of exports. */
    utm_source_folded: text(),
    /** `utm_medium` trimmed, lower-cased, by its alias: the dimension utm_medium of exports. */
    utm_medium_folded: text(),
    /** `utm_campaign` trimmed, lower-cased, by its alias: the dimension utm_campaign of exports. */
    utm_campaign_folded: text(),
    /** `utm_content` trimmed, lower-cased, by its alias: the dimension utm_content of exports. */
    utm_content_folded: text(),
    /** `utm_term` trimmed, lower-cased, by its alias: the dimension utm_term of exports. */
    utm_term_folded: text(),
    /** `insight_name`, trimmed. */
    insight_name: text(),
    /** The group (organization unit) that the call belongs to. */
    org_unit_id: integer(),
    /** The group's name, trimmed. */
    org_unit_name: text(),
    /** The number that was called: `+` and its digits, however it is written; trimmed where it is no number. */
    tracking_number: text(),
    /** `disposition`, trimmed. */
    disposition: text(),
  } satisfies Record<FactColumn, unknown>,
  (table) => [
    index("call_facts_caller").on(table.caller),
    index("call_facts_call_started").on(table.call_started),
  ],
);

/** The callers of live calls, one row a caller. */
export const callers = sqliteTable("callers", {
  /** The number as its digits and plus sign, or its keyed digest. */
  caller: text().primaryKey(),
  /** The caller's first live call: of two at the same moment the one with the lower id; one of unknown time only where there is no other. */
  first_call_id: integer().notNull(),
  /** Start of that call, ISO 8601 UTC. */
  first_call_started: text(),
  /** Number of live calls. */
  calls: integer().notNull(),
});

/** The rules by which the facts were computed; the last row is in force. */
export const rules = sqliteTable("rules", {
  /** Number of the change. */
  rules_id: integer().primaryKey({ autoIncrement: true }),
  /** Since when, ISO 8601 UTC. */
  since: text().notNull(),
  /** Version of the program's own part of the rules. */
  version: integer().notNull(),
  /** JSON object: answered, missed, qualified_seconds, duration_unit, and aliases of utm values. */
  rules: text().notNull(),
  /** Calls whose attribution was recomputed. */
  calls: integer().notNull(),
  /** Fingerprint of the key of the callers' digests; null where callers are known by their numbers. */
  caller_key: text(),
});

/** Numbers that would take long to count. */
export const counts = sqliteTable("counts", {
  /** What is counted: `calls`, the rows of that table; `unsettled_calls`, those of a first load under way whose callers are yet to be settled; `fact_logs`, how often `fact_changes` was begun; and `rules_being_applied`, the number of those by which calls are attributed at the moment. */
  name: text().primaryKey(),
  /** How many there are. */
  value: integer().notNull(),
});

/** The ledger: one row a run of `sync`. */
export const sync_runs = sqliteTable("sync_runs", {
  /** Number of the run. */
  run_id: integer().primaryKey({ autoIncrement: true }),
  /** Start of the run, ISO 8601 UTC. */
  started_at: text().notNull(),
  /** End of the run, ISO 8601 UTC; null while it runs. */
  finished_at: text(),
  /** full or incremental. */
  mode: text({ enum: ["full", "incremental"] }).notNull(),
  /** running, done, interrupted or failed. */
  status: text({ enum: ["running", "done", "interrupted", "failed"] }).notNull(),
  /** Why it ran in this mode, one sentence. */
  plan_reason: text(),
  /** The process that ran it. */
  pid: integer(),
  /** When the whole file was checked for damage before the run, ISO 8601 UTC; null where it was not. */
  file_checked_at: text(),
  /** How often it was taken up again after it had been cut short. */
  resumed: integer(),
  /** exact, verified, probable or unverified; null unless done. */
  verdict: text({ enum: VERDICTS }),
  /** Why this verdict, one sentence. */
  verdict_reason: text(),
  /** What the operator can do about the verdict, one sentence; null where nothing stands in the way. */
  advice: text(),
  /** Which calls came first: the newest, the oldest, or neither; by the order key. */
  call_order: text({ enum: ["newest", "oldest", "unknown"] }),
  /** The keys that all rows read were in the order of, e.g. `call_started desc`, separated by commas; null for none. */
  order_key: text(),
  /** The order that was asked for: `own`, the service's, or by source, `source_name asc` or `source_name desc`. */
  sort: text({ enum: SORTS }),
  /** `total` of the first response. */
  first_total: integer(),
  /** `total` of the last response. */
  last_total: integer(),
  /** Different calls read. */
  calls_read: integer(),
  /** Calls that were not in the warehouse. */
  calls_new: integer(),
  /** Calls whose content was another. */
  calls_changed: integer(),
  /** Calls that were in the warehouse as they are. */
  calls_unchanged: integer(),
  /** Rows that did not parse. */
  calls_rejected: integer(),
  /** Calls that this full pass was the first to miss. */
  calls_missing: integer(),
  /** Calls marked as gone from the service. */
  calls_gone: integer(),
  /** Calls that this full pass was the first to find unlisted: older than any that the service lists. */
  calls_unlisted: integer(),
  /** Calls that were missing, gone or unlisted and came back. */
  calls_returned: integer(),
  /** Calls that would have been marked as missing, but were more than the missing-call threshold. */
  calls_withheld: integer(),
  /** Calls that came with different contents twice in one response, or in two responses of which it is unknown which is newer, and stayed so when they were asked for again. */
  calls_conflicting: integer(),
  /** New and changed calls with another `org_unit_id` than the one that was asked for. */
  calls_other_unit: integer(),
  /** Pages of the walk. */
  pages: integer(),
  /** Seams between pages that did not join at first. */
  seams_mended: integer(),
  /** Seams between pages that do not join. */
  seams_broken: integer(),
  /** Of runs before `order_key` was kept: calls met out of the order seen before. */
  inversions: integer(),
  /** Attempts that were tried again. */
  retries: integer(),
  /** JSON array of the service's request ids of failed attempts. */
  failed_request_ids: text(),
  /** How far the service's clock was ahead of ours at the least, milliseconds; null where it did not tell the time. */
  clock_ahead_ms: integer(),
  /** Until when the service asked for a pause, ISO 8601 UTC. */
  not_before: text(),
  /** What ended the run early. */
  error: text(),
  /** Milliseconds from start to finish. */
  elapsed_ms: integer(),
});

/** The pages of a run in the order of the walk: written with their calls, in one transaction. */
export const sync_pages = sqliteTable(
  "sync_pages",
  {
    /** The run in `sync_runs`. */
    run_id: integer()
      .notNull()
      .references(() => sync_runs.run_id, { onDelete: "cascade" }),
    /** Index in the chain, from 0. */
    seq: integer().notNull(),
    /** The offset the service applied. */
    offset: integer().notNull(),
    /** Rows of the page. */
    row_count: integer().notNull(),
    /** `total` of the response. */
    total: integer().notNull(),
    /** JSON array of the page's call ids in order, null for an unreadable one; dropped when the run is done. */
    call_ids: text(),
    /** JSON object of what else of its rows an order may be made of: `started` and `name`, null for what is not there; `rejected`, their indexes. Dropped when the run is done. */
    order_members: text(),
    /** The service's own identifier of the request. */
    request_id: text(),
    /** 1 where the response was out of date when it came, by the timestamps of the service. */
    is_old: integer({ mode: "boolean" }),
    /** When the response was complete, ISO 8601 UTC. */
    fetched_at: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.run_id, table.seq] })],
);

/** Rows that did not parse, until a later run reads the call well. */
export const rejected_calls = sqliteTable("rejected_calls", {
  /** `id:` and the call id; of a row that has none `sha256:` and its hash, or `sealed:` and that under the key beside the warehouse where callers are known by digests. */
  row_key: text().primaryKey(),
  /** The call id, where the row has one. */
  call_id: integer(),
  /** The row as served, but for what is not kept. */
  json: text().notNull(),
  /** The member that does not parse. */
  path: text().notNull(),
  /** Why it does not. */
  reason: text().notNull(),
  /** The run that first met the row. */
  first_run_id: integer().notNull(),
  /** The run that last met it. */
  last_run_id: integer().notNull(),
});

/** Members met that the API document does not promise, once each. */
export const schema_drift = sqliteTable(
  "schema_drift",
  {
    /** E.g. `dni_data.msclkid`. */
    path: text().notNull(),
    /** unknown: kept in `extra`. type: a number where text is promised, kept as text. */
    kind: text({ enum: ["unknown", "type"] }).notNull(),
    /** JSON type met first. */
    json_type: text().notNull(),
    /** The run that first met it. */
    first_run_id: integer().notNull(),
    /** When it was first met, ISO 8601 UTC. */
    first_seen_at: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.path, table.kind] })],
);

/** Every file of figures, of calls or with a page that was written into a folder, by `export`, `report` or a named report: one row each time. */
export const exports = sqliteTable("exports", {
  /** Number of the file. */
  export_id: integer().primaryKey({ autoIncrement: true }),
  /** When it was written, ISO 8601 UTC; null until its export has ended, and where that was killed. */
  exported_at: text(),
  /** Absolute path. */
  path: text().notNull(),
  /** SHA-256 of its bytes, hexadecimal. */
  sha256: text().notNull(),
  /** Rows without the header and the line of totals; of a workbook those of all sheets, of a page the calls of its days. */
  rows: integer().notNull(),
  /** JSON object of the filter. */
  filter: text().notNull(),
  /** The last finished run when the file was made; null if there was none. */
  run_id: integer(),
});

/** What became of the jobs that `schedule`, cron or systemd run, one row a job; `calltally sync` and `export` by hand are none. */
export const jobs = sqliteTable("jobs", {
  /** sync, export or insights; report:weekly of the report `weekly`, and restated:weekly where it is made again for figures that changed. */
  job: text().primaryKey(),
  /** When it last started, ISO 8601 UTC. */
  started_at: text().notNull(),
  /** End of that run, ISO 8601 UTC; null while it runs, or where it was killed. */
  finished_at: text(),
  /** Exit code of the last run that ended; 128 and the number of the signal where one ended it. */
  exit_code: integer(),
  /** What went wrong in the last run that failed; null once a run has succeeded. */
  error: text(),
  /** End of the last run that did its work, exit code 0 or 3, ISO 8601 UTC. */
  succeeded_at: text(),
  /** End of the first run that failed since then, ISO 8601 UTC; null where none did. */
  failing_since: text(),
});

/** Each making of a named report, one row a report run. */
export const report_runs = sqliteTable(
  "report_runs",
  {
    /** Number of the report run. */
    report_run_id: integer().primaryKey({ autoIncrement: true }),
    /** Name of the report. */
    report: text().notNull(),
    /** Name of the account; null for the only one. */
    account: text(),
    /** When the schedule had it due, ISO 8601 UTC; null for a run by hand. */
    scheduled_for: text(),
    /** When it last started, ISO 8601 UTC. */
    started_at: text().notNull(),
    /** End of the run, ISO 8601 UTC; null while it runs, or where its process was killed. */
    finished_at: text(),
    /** running, done, failed, or interrupted: its process ended before it did. */
    status: text({ enum: ["running", "done", "failed", "interrupted"] }).notNull(),
    /** Verdict of the sync that its figures are of: exact, verified, probable or unverified; null if there was none. */
    verdict: text({ enum: VERDICTS }),
    /** First day of its range, YYYY-MM-DD in the report's time zone; null where it is open. */
    range_from: text(),
    /** Last day of its range, YYYY-MM-DD in the report's time zone; null where it is open. */
    range_to: text(),
    /** Whether its figures are older than the report asks for. */
    is_stale: integer({ mode: "boolean" }).notNull().default(false),
    /** Absolute path of the folder that its files are in; null until they are. */
    folder: text(),
    /** JSON array of its files: {name, path, bytes, sha256, is_personal}; null until they are written. */
    files: text(),
    /** What went wrong, without secrets and personal data; null where nothing did. */
    error: text(),
    /** The process that runs or ran it: its id, and where the system tells, `@` and its start. */
    process: text().notNull(),
  },
  (table) => [index("report_runs_by_report").on(table.report, table.report_run_id)],
);

/** What was delivered to whom, one row for each recipient of a report run. */
export const deliveries = sqliteTable(
  "deliveries",
  {
    /** Number of the delivery. */
    delivery_id: integer().primaryKey({ autoIncrement: true }),
    /** The report run. */
    report_run_id: integer()
      .notNull()
      .references(() => report_runs.report_run_id),
    /** email, webhook or command. */
    channel: text({ enum: ["email", "webhook", "command"] }).notNull(),
    /** The address of an e-mail; the host of a web hook, or the program of a command, and eight digits of a hash of the rest. */
    recipient: text().notNull(),
    /** pending, sending, delivered, failed, or outcome unknown: it may have arrived. Only what is pending is sent without being asked for again. */
    status: text({ enum: ["pending", "sending", "delivered", "failed", "outcome unknown"] }).notNull(),
    /** Attempts so far. */
    attempts: integer().notNull().default(0),
    /** What went wrong in the last attempt, without secrets; null where nothing did. */
    last_error: text(),
    /** Start of the first attempt, ISO 8601 UTC; null before it. */
    started_at: text(),
    /** When it was delivered, failed or became unknown, ISO 8601 UTC; null before. */
    finished_at: text(),
    /** Message-ID of an e-mail, the same in each attempt; null for other channels. */
    message_id: text(),
    /** The process of the last attempt, as in `report_runs`; null before the first one. */
    process: text(),
  },
  (table) => [uniqueIndex("deliveries_once").on(table.report_run_id, table.channel, table.recipient)],
);

/** Insight details as last fetched (API v3 § 2.1), under the API's own names. */
export const insights = sqliteTable("insights", {
  /** The service's identifier. */
  insight_id: integer().primaryKey(),
  /** Name of the insight. */
  insight_name: text(),
  /** As served; keyword-based is one type. */
  insight_type: text(),
  /** As served; the API's document does not say more. */
  insight_help: text(),
  /** As served; pass/fail is one type. */
  indicator_score_type: text(),
  /** As served; active is one status. */
  insight_status: text(),
  /** As served; the API's document does not say more. */
  indicator_active: integer({ mode: "boolean" }),
  /** As served; the API's document does not say more. */
  is_custom_ai: integer({ mode: "boolean" }),
  /** JSON object: `criteria`, an array of {name, output, example, question, restrictions}. */
  llm_config: text({ mode: "json" }),
  /** JSON object: the hit and miss settings that the columns below repeat. */
  keyword_config: text({ mode: "json" }),
  /** JSON object, which may be empty. */
  draft_details: text({ mode: "json" }),
  /** Keyword setting of a hit, as served; may be empty. */
  hit_outcome_by: text(),
  /** Keyword setting of a hit, as served; may be empty. */
  hit_keywords: text(),
  /** Keyword setting of a hit, as served; may be empty. */
  hit_mention: text(),
  /** Keyword setting of a miss, as served; may be empty. */
  miss_outcome_by: text(),
  /** Keyword setting of a miss, as served; may be empty. */
  miss_keywords: text(),
  /** Keyword setting of a miss, as served; may be empty. */
  miss_mention: text(),
  /** As served; boolean is one kind of output. */
  insight_output: text(),
  /** As served; the API's document does not say more. */
  insight_guideline: text(),
  /** As served; the API's document does not say more. */
  insight_description: text(),
  /** As served; the API's document does not say more. */
  insight_example: text(),
  /** As served, YYYY-MM-DD HH:MM:SS in a zone that the API does not say; 0000-00-00 00:00:00 is no date. */
  start_date: text(),
  /** As served, YYYY-MM-DD HH:MM:SS in a zone that the API does not say; 0000-00-00 00:00:00 is no date. */
  indicator_start_date: text(),
  /** As served, YYYY-MM-DD HH:MM:SS in a zone that the API does not say; 0000-00-00 00:00:00 is no date. */
  indicator_end_date: text(),
  /** `start_date` as YYYY-MM-DDTHH:MM:SS; null where it is no date. */
  start_date_parsed: text(),
  /** `indicator_start_date` as YYYY-MM-DDTHH:MM:SS; null where it is no date. */
  indicator_start_date_parsed: text(),
  /** `indicator_end_date` as YYYY-MM-DDTHH:MM:SS; null where it is no date. */
  indicator_end_date_parsed: text(),
  /** As served; the API's document does not say more. */
  indicator_group_active: integer({ mode: "boolean" }),
  /** As served; the API's document does not say more. */
  scorecards: integer(),
  /** As served, ISO 8601 UTC by the API's document. */
  creation_date: text(),
  /** As served, ISO 8601 UTC by the API's document. */
  last_updated: text(),
  /** As served, ISO 8601 UTC by the API's document. */
  created_at: text(),
  /** As served, ISO 8601 UTC by the API's document. */
  updated_at: text(),
  /** As served; the API's document does not say more. */
  created_by: integer(),
  /** As served; the API's document does not say more. */
  updated_by: integer(),
  /** As served; the API's document does not say more. */
  deleted_at: text(),
  /** As served; the API's document does not say more. */
  deleted_by: integer(),
  /** JSON object of members that the API document does not name. */
  extra: text({ mode: "json" }),
  /** When it was fetched, ISO 8601 UTC. */
  fetched_at: text().notNull(),
});

/** The organization units (groups) that an insight is associated with. */
export const insight_groups = sqliteTable(
  "insight_groups",
  {
    /** The insight in `insights`. */
    insight_id: integer()
      .notNull()
      .references(() => insights.insight_id, { onDelete: "cascade" }),
    /** The group's id, `group_list[].id`. */
    group_id: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.insight_id, table.group_id] })],
);

/** What changed in an insight between two fetches, one row a member. */
export const insight_changes = sqliteTable("insight_changes", {
  /** Number of the change. */
  change_id: integer().primaryKey({ autoIncrement: true }),
  /** The insight that changed. */
  insight_id: integer().notNull(),
  /** When the change was seen, ISO 8601 UTC. */
  seen_at: text().notNull(),
  /** The member's name. */
  member: text().notNull(),
  /** JSON value at the fetch before. */
  before: text().notNull(),
  /** JSON value now. */
  after: text().notNull(),
});

/** What we changed at the service's webhooks. */
export const webhook_changes = sqliteTable("webhook_changes", {
  /** Number of the change. */
  change_id: integer().primaryKey({ autoIncrement: true }),
  /** The webhook that was changed. */
  webhook_id: integer().notNull(),
  /** When it was sent, ISO 8601 UTC. */
  sent_at: text().notNull(),
  /** PUT or PATCH. */
  method: text({ enum: ["PUT", "PATCH"] }).notNull(),
  /** JSON object as sent; values of static parameters that look like secrets are masked. */
  body: text().notNull(),
  /** sent: no response yet, or the process was killed. done, refused, or unknown: it may have been made all the same. */
  outcome: text({ enum: ["sent", "done", "refused", "unknown"] }).notNull(),
  /** The response of the service, or what went wrong. */
  answer: text(),
  /** The service's own identifier of the request. */
  request_id: text(),
});

/** What the warehouse is a copy of; one row. */
export const origin = sqliteTable("origin", {
  /** Drawn at random when the warehouse was made; copies and backups of it have the same. */
  warehouse_id: text().primaryKey(),
  /** Address of the service that calls are read from; null until the first of them was. */
  base_url: text(),
  /** The organization unit that was asked for with each page of calls, as it was given; null where none was. */
  org_unit_id: text(),
  /** Name of the account there; null for the only one. */
  account: text(),
  /** Eight digits of a keyed hash of the token that calls were last read with: they tell that it is another one now, and not what it is. */
  token_mark: text(),
  /** Whether `calltally demo` made the warehouse, of made-up calls. */
  is_demo: integer({ mode: "boolean" }).notNull().default(false),
  /** When the address was last bound, ISO 8601 UTC. */
  bound_at: text(),
});

/** Files of conversions that `export` wrote for an upload, one row a file. */
export const upload_files = sqliteTable(
  "upload_files",
  {
    /** Number of the file. */
    upload_file_id: integer().primaryKey({ autoIncrement: true }),
    /** What it holds, as `export` names it: google-ads and the like, or google-ads-adjustments, which are of google-ads. */
    contents: text({
      enum: [
        "google-ads",
        "google-leads",
        "google-data-manager",
        "microsoft-ads",
        "ga4-events",
        "google-ads-adjustments",
      ],
    }).notNull(),
    /** Absolute path. */
    path: text().notNull(),
    /** SHA-256 of its bytes, hexadecimal. */
    sha256: text().notNull(),
    /** Its conversions or adjustments; those that an earlier file had as well are in `uploads` once. */
    rows: integer().notNull(),
    /** When it was written, ISO 8601 UTC. */
    written_at: text().notNull(),
    /** Absolute path of its draft until its export has ended; null afterwards. After a kill, a draft that is still there shows that the file never got its name. */
    draft: text(),
    /** The process that wrote it, as in `report_runs`; empty where its export has failed. */
    process: text().notNull(),
    /** The file of a killed export that it replaced: that one counts no more, and what it had is due again. */
    rewrites: integer(),
    /** SHA-256 of the file that counts as uploaded and was in its place; null where there was none. */
    replaced_sha256: text(),
    /** Fingerprint of the key that `uploads.key_digest` was made with; null where the file has no conversion in `uploads`. */
    caller_key: text(),
    /** The report run that it was written for; null for an export by hand. */
    report_run_id: integer(),
    /** When `uploads forget` took it back, ISO 8601 UTC; null while it counts as uploaded. */
    forgotten_at: text(),
  },
  (table) => [index("upload_files_path").on(table.path)],
);

/** What such files reported of calls, in the order in which they were written. Holds no click id and no phone number, only keyed digests of them. */
export const uploads = sqliteTable(
  "uploads",
  {
    /** Number of the line. */
    upload_id: integer().primaryKey({ autoIncrement: true }),
    /** The file in `upload_files`. */
    upload_file_id: integer()
      .notNull()
      .references(() => upload_files.upload_file_id, { onDelete: "cascade" }),
    /** Name of the conversion action, or of the event. */
    conversion_name: text().notNull(),
    /** The call, which may be gone since. */
    call_id: integer().notNull(),
    /** Keyed digest of the click id, phone number or client id as the file had it; null for adjustments. */
    key_digest: text(),
    /** By what an adjustment names the conversion: the call id, after a retraction with `-2` and so on; null where the file did not give it one. */
    order_id: text(),
    /** convert, or of an earlier conversion: retract, or restate its value. */
    action: text({ enum: ["convert", "retract", "restate"] }).notNull(),
    /** Why it was retracted, e.g. not qualified; null for other lines. */
    reason: text(),
    /** The value as it stood in the file; null for none. */
    value: text(),
    /** The currency of the value, ISO 4217; null for none. */
    currency: text(),
    /** Time of the conversion, or of the adjustment, as the file had it, ISO 8601 UTC. */
    occurred_at: text().notNull(),
    /** 1 where each qualified call of a click or caller counted, and not the first alone. */
    is_every: integer({ mode: "boolean" }).notNull(),
  },
  (table) => [index("uploads_call").on(table.call_id), index("uploads_file").on(table.upload_file_id)],
);

/** What ads cost, a row for each line that `calltally spend import` took from a report; a later import of a day and source replaces its rows. */
export const spend = sqliteTable(
  "spend",
  {
    /** Number of the row. */
    spend_id: integer().primaryKey({ autoIncrement: true }),
    /** The day as the report says it, YYYY-MM-DD, in the ad platform's own time zone. */
    day: text().notNull(),
    /** Folded as utm values are, before aliases. */
    source: text().notNull(),
    /** Folded as utm values are, before aliases. */
    medium: text().notNull(),
    /** Name of the campaign as the report has it; null without one. */
    campaign: text(),
    /** The ad platform's own identifier of the campaign. */
    campaign_id: text(),
    /** What was spent, in millionths of the currency. */
    cost_micros: integer().notNull(),
    /** ISO 4217; all rows have the same. */
    currency: text().notNull(),
    /** Clicks on the ads; null where the report has none. */
    clicks: integer(),
    /** Times that the ads were shown; null where the report does not say. */
    impressions: integer(),
    /** Name of the imported file. */
    file: text().notNull(),
    /** When it was imported, ISO 8601 UTC. */
    imported_at: text().notNull(),
  },
  (table) => [index("spend_day_source").on(table.day, table.source)],
);

/** What changed in the facts of calls since the earliest export that is remembered in `exported_rollups`; empty where none is. */
export const fact_changes = sqliteTable("fact_changes", {
  /** Number of the change. */
  change_id: integer().primaryKey({ autoIncrement: true }),
  /** The call. */
  call_id: integer().notNull(),
  /** When its facts were written, ISO 8601 UTC. */
  changed_at: text().notNull(),
  /** late: the call was not here. corrected: the service serves other content. gone or returned: the service lists it no more, or again. rules: it was attributed anew. first_call: it became, or ceased to be, the first of its caller. */
  reason: text({ enum: CHANGE_REASONS }).notNull(),
  /** The row in `rules` by which it was attributed anew; null for other reasons. */
  rules_id: integer(),
  /** `is_live` in `call_facts` before the change; this and all that follow are null where the call was not here. */
  is_live: integer({ mode: "boolean" }),
  /** `call_started` in `call_facts` before the change. */
  call_started: text(),
  /** `duration` in `call_facts` before the change. */
  duration: integer(),
  /** `outcome` in `call_facts` before the change. */
  outcome: text({ enum: OUTCOMES }),
  /** `is_qualified` in `call_facts` before the change. */
  is_qualified: integer({ mode: "boolean" }),
  /** `is_first_call` in `call_facts` before the change. */
  is_first_call: integer({ mode: "boolean" }),
  /** `caller` in `call_facts` before the change. */
  caller: text(),
  /** `source` in `call_facts` before the change. */
  source: text(),
  /** `medium` in `call_facts` before the change. */
  medium: text(),
  /** `campaign` in `call_facts` before the change. */
  campaign: text(),
  /** `campaign_id` in `call_facts` before the change. */
  campaign_id: text(),
  /** `gclid` in `call_facts` before the change. */
  gclid: text(),
  /** `gclsrc` in `call_facts` before the change. */
  gclsrc: text(),
  /** `channel` in `call_facts` before the change. */
  channel: text().$type<Channel>(),
  /** `referring_host` in `call_facts` before the change. */
  referring_host: text(),
  /** `utm_source_folded` in `call_facts` before the change. */
  utm_source_folded: text(),
  /** `utm_medium_folded` in `call_facts` before the change. */
  utm_medium_folded: text(),
  /** `utm_campaign_folded` in `call_facts` before the change. */
  utm_campaign_folded: text(),
  /** `utm_content_folded` in `call_facts` before the change. */
  utm_content_folded: text(),
  /** `utm_term_folded` in `call_facts` before the change. */
  utm_term_folded: text(),
  /** `insight_name` in `call_facts` before the change. */
  insight_name: text(),
  /** `org_unit_id` in `call_facts` before the change. */
  org_unit_id: integer(),
  /** `org_unit_name` in `call_facts` before the change. */
  org_unit_name: text(),
  /** `tracking_number` in `call_facts` before the change. */
  tracking_number: text(),
  /** `disposition` in `call_facts` before the change. */
  disposition: text(),
});

/** The rollups that `export` last wrote into folders, one row for each file or sheet whose figures are compared with the next. */
export const exported_rollups = sqliteTable(
  "exported_rollups",
  {
    /** Number of the export of this rollup. */
    exported_id: integer().primaryKey({ autoIncrement: true }),
    /** Absolute path of the file. */
    path: text().notNull(),
    /** Its dimensions, separated by commas; a workbook has a sheet for each. */
    contents: text().notNull(),
    /** JSON object: dimensions, filter, grain, time zone and unit of durations. Figures of another question are not compared. */
    question: text().notNull(),
    /** JSON array of the names of its figures, in the order in which `exported_rows` has them. */
    metrics: text().notNull(),
    /** First day of its range, YYYY-MM-DD in its time zone; null where it is open. */
    range_from: text(),
    /** Last day of its range, YYYY-MM-DD in its time zone; null where it is open. */
    range_to: text(),
    /** First day of its first period, YYYY-MM-DD; null without periods. */
    first_day: text(),
    /** Last day of its last period, YYYY-MM-DD; null without periods. */
    last_day: text(),
    /** Periods that ended by then were complete, ISO 8601 UTC. */
    settled_until: text().notNull(),
    /** When it was written, ISO 8601 UTC. */
    exported_at: text().notNull(),
    /** The last row in `fact_changes` that its figures have. */
    change_id: integer().notNull(),
    /** The row in `rules` that its figures follow. */
    rules_id: integer().notNull(),
    /** The last finished run when it was made. */
    run_id: integer().notNull(),
  },
  (table) => [uniqueIndex("exported_rollups_by_path").on(table.path, table.contents)],
);

/** The rows of periods that were complete in the last export of each rollup in `exported_rollups`. */
export const exported_rows = sqliteTable(
  "exported_rows",
  {
    /** The rollup in `exported_rollups`. */
    exported_id: integer()
      .notNull()
      .references(() => exported_rollups.exported_id, { onDelete: "cascade" }),
    /** The period, as in the file; empty without periods. */
    period: text().notNull(),
    /** JSON array of the values of the key columns. */
    key: text().notNull(),
    /** JSON array of the figures. */
    figures: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.exported_id, table.period, table.key] })],
);

/** Figures of complete periods that were given out and were others in the next export of the same rollup, one row a figure. */
export const restatements = sqliteTable(
  "restatements",
  {
    /** Number of the restatement. */
    restatement_id: integer().primaryKey({ autoIncrement: true }),
    /** When it was found, ISO 8601 UTC. */
    found_at: text().notNull(),
    /** Absolute path of the file. */
    path: text().notNull(),
    /** Its dimensions, separated by commas. */
    contents: text().notNull(),
    /** The period, as in the file; empty without periods. */
    period: text().notNull(),
    /** Where the period starts, ISO 8601 UTC. */
    starts_at: text().notNull(),
    /** Where the next one starts, ISO 8601 UTC. */
    ends_at: text().notNull(),
    /** JSON object of the key columns. */
    key: text().notNull(),
    /** The column. */
    metric: text().notNull(),
    /** JSON value that was given out. */
    was: text().notNull(),
    /** JSON value that it is now. */
    now: text().notNull(),
    /** `now` less `was`; null for times, and where one of them is blank. */
    change: real(),
    /** When the earlier value was given out, ISO 8601 UTC. */
    given_out_at: text().notNull(),
    /** JSON array of {reason, calls, effect}: how many calls changed for a reason, and what that did to the figure; the effects of a figure that adds up are the whole change, others have null. */
    reasons: text().notNull(),
    /** Names of the settings for attribution that changed in between, separated by commas; null where none did. */
    rules_changed: text(),
  },
  (table) => [
    uniqueIndex("restatements_once").on(
      table.path,
      table.contents,
      table.given_out_at,
      table.period,
      table.key,
      table.metric,
    ),
  ],
);
/** Callers who must not come back, by what can only be told with the key beside the warehouse. */
export const forgotten_callers = sqliteTable(
  "forgotten_callers",
  {
    /** Keyed digest of the number; not the one that `caller_hash` in files is. */
    digest: text().primaryKey(),
    /** Keyed digest of the number without its country code, as texts may have it; null for what is no such number. */
    national_digest: text(),
    /** What the caller is called instead, `forgotten` and random digits: in `calls.caller_id` and wherever else the caller was. */
    pseudonym: text().notNull(),
    /** Tells keys apart: what was digested with another key would not be recognized. */
    key_mark: text().notNull(),
    /** When the caller was forgotten, ISO 8601 UTC. */
    forgotten_at: text().notNull(),
    /** How many calls of the caller there were then. */
    calls: integer().notNull(),
  },
  (table) => [uniqueIndex("forgotten_callers_pseudonym").on(table.pseudonym)],
);

/** When personal data was removed, and how much; holds none itself. */
export const privacy_acts = sqliteTable("privacy_acts", {
  /** Number of the act. */
  act_id: integer().primaryKey({ autoIncrement: true }),
  /** When it was done, ISO 8601 UTC. */
  at: text().notNull(),
  /** forget, or prune: what the keep settings ask for. */
  act: text({ enum: ["forget", "prune"] }).notNull(),
  /** JSON object: how many of what were removed. */
  counts: text().notNull(),
  /** When the bytes were gone from the files of the warehouse as well, ISO 8601 UTC; null while they may be there still. */
  erased_at: text(),
});

/** Backups that were written, one row a file: what is forgotten here is still in them. */
export const backups = sqliteTable("backups", {
  /** Absolute path. */
  path: text().primaryKey(),
  /** When it was last begun, ISO 8601 UTC. */
  backed_up_at: text().notNull(),
});

/** Up to where calls hold nothing more of what is kept for a while, or never; a kind that is always kept has no row. */
export const retention = sqliteTable("retention", {
  /** transcripts, summaries, caller_numbers, recording_urls or extra. */
  kind: text({ enum: WITHHELD_KINDS }).primaryKey(),
  /** No call that began before this time has any, ISO 8601 UTC; `~`, after every time, for all calls. */
  pruned_before: text().notNull(),
});

/** Clusters that the facts were published to, one row a cluster and database. */
export const publications = sqliteTable("publications", {
  /** Address of the cluster, without the user. */
  target: text().primaryKey(),
  /** The account's name there. */
  account: text().notNull(),
  /** When the last publication began, ISO 8601 UTC. */
  attempted_at: text().notNull(),
  /** What kept it from its end; null where nothing did, or where it is under way or was killed. */
  error: text(),
  /** When the cluster last had confirmed that it has the same facts, ISO 8601 UTC; null for never. */
  published_at: text(),
  /** The last finished run that those facts have; null for none. */
  run_id: integer(),
  /** How many calls they were of; null while there is none. */
  calls: integer(),
  /** The last row in `changed_buckets` that those facts have. */
  change_id: integer(),
  /** The last `forget` in `privacy_acts` that those facts have; null for none. */
  act_id: integer(),
  /** When all facts were last hashed for it, ISO 8601 UTC. */
  hashed_at: text(),
  /** JSON object: what there was in each bucket as of `change_id`, and on what that stands beside the facts. */
  totals: text(),
});

/** Which buckets of calls, of those that publications compare, have changed, one row a bucket; written by triggers once there is a publication. */
export const changed_buckets = sqliteTable("changed_buckets", {
  /** Number of the last change in it. */
  change_id: integer().primaryKey({ autoIncrement: true }),
  /** The identifier of a call modulo 1024; 1024 for spend. */
  bucket: integer().notNull().unique(),
});
