CREATE TABLE `calls` (
	`call_id` integer PRIMARY KEY NOT NULL,
	`insight_name` text,
	`caller_id` text,
	`tracking_number` text,
	`call_started` text,
	`duration` integer,
	`disposition` text,
	`org_unit_id` integer,
	`org_unit_name` text,
	`recording_url` text,
	`utm_source` text,
	`utm_medium` text,
	`utm_campaign` text,
	`utm_content` text,
	`utm_term` text,
	`gclid` text,
	`gclsrc` text,
	`google_analytics_cid` text,
	`referring_url` text,
	`campaign_name` text,
	`campaign_id` text,
	`extra` text,
	`row_hash` text NOT NULL,
	`first_run_id` integer NOT NULL,
	`changed_run_id` integer NOT NULL,
	`missing_since` text,
	`gone_at` text
);
--> statement-breakpoint
CREATE TABLE `exports` (
	`export_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`exported_at` text NOT NULL,
	`path` text NOT NULL,
	`sha256` text NOT NULL,
	`rows` integer NOT NULL,
	`filter` text NOT NULL,
	`run_id` integer
);
--> statement-breakpoint
CREATE TABLE `rejected_calls` (
	`row_key` text PRIMARY KEY NOT NULL,
	`call_id` integer,
	`json` text NOT NULL,
	`path` text NOT NULL,
	`reason` text NOT NULL,
	`first_run_id` integer NOT NULL,
	`last_run_id` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `schema_drift` (
	`path` text NOT NULL,
	`kind` text NOT NULL,
	`json_type` text NOT NULL,
	`first_run_id` integer NOT NULL,
	`first_seen_at` text NOT NULL,
	PRIMARY KEY(`path`, `kind`)
);
--> statement-breakpoint
CREATE TABLE `sync_pages` (
	`run_id` integer NOT NULL,
	`seq` integer NOT NULL,
	`offset` integer NOT NULL,
	`row_count` integer NOT NULL,
	`total` integer NOT NULL,
	`call_ids` text,
	`request_id` text,
	`fetched_at` text NOT NULL,
	PRIMARY KEY(`run_id`, `seq`),
	FOREIGN KEY (`run_id`) REFERENCES `sync_runs`(`run_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `sync_runs` (
	`run_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`started_at` text NOT NULL,
	`finished_at` text,
	`mode` text NOT NULL,
	`status` text NOT NULL,
	`verdict` text,
	`verdict_reason` text,
	`first_total` integer,
	`last_total` integer,
	`calls_read` integer,
	`calls_new` integer,
	`calls_changed` integer,
	`calls_unchanged` integer,
	`calls_rejected` integer,
	`pages` integer,
	`seams_mended` integer,
	`seams_broken` integer,
	`inversions` integer,
	`retries` integer,
	`failed_request_ids` text,
	`error` text,
	`elapsed_ms` integer
);
--> statement-breakpoint
CREATE TABLE `transcripts` (
	`call_id` integer PRIMARY KEY NOT NULL,
	`summary` text,
	`transcription` text,
	`transcription_details` text,
	FOREIGN KEY (`call_id`) REFERENCES `calls`(`call_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `utm_values` (
	`raw` text PRIMARY KEY NOT NULL,
	`folded` text NOT NULL
);
--> statement-breakpoint
CREATE VIEW `attributed_calls` AS SELECT c.call_id, c.insight_name, c.caller_id, c.tracking_number, c.call_started, c.duration, c.disposition,
  c.org_unit_id, c.org_unit_name, c.recording_url, c.utm_source, c.utm_medium, c.utm_campaign, c.utm_content, c.utm_term, c.gclid, c.gclsrc, c.google_analytics_cid, c.referring_url, c.campaign_name, c.campaign_id,
  t.summary, t.transcription, t.transcription_details
FROM calls AS c LEFT JOIN transcripts AS t ON t.call_id = c.call_id
WHERE c.gone_at IS NULL;--> statement-breakpoint
CREATE VIEW `rollup_campaign` AS WITH first_calls AS MATERIALIZED (SELECT call_id FROM (
    SELECT call_id, row_number() OVER (PARTITION BY caller_id ORDER BY call_started NULLS LAST, call_id) AS place
    FROM calls WHERE gone_at IS NULL AND caller_id <> ''
  ) WHERE place = 1)
SELECT campaign, campaign_id,
  count(*) AS calls,
  count(*) FILTER (WHERE outcome = 'answered') AS answered_calls,
  count(*) FILTER (WHERE outcome = 'missed') AS missed_calls,
  count(*) FILTER (WHERE outcome = 'other') AS other_calls,
  round(1.0 * count(*) FILTER (WHERE outcome = 'answered') / count(*), 4) AS answer_rate,
  count(DISTINCT caller) AS unique_callers,
  count(*) FILTER (WHERE is_first) AS first_time_callers,
  count(*) FILTER (WHERE is_qualified) AS qualified_calls,
  coalesce(sum(seconds), 0) AS total_duration_seconds,
  round(avg(seconds), 1) AS average_duration_seconds,
  min(call_started) AS first_call_at,
  max(call_started) AS last_call_at
FROM (
  SELECT coalesce(nullif(trim(c.campaign_name, char(9,10,11,12,13,32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279)), ''), nullif(trim(c.utm_campaign, char(9,10,11,12,13,32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279)), ''), '(not set)') AS campaign,
    coalesce(nullif(trim(c.campaign_id, char(9,10,11,12,13,32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279)), ''), '') AS campaign_id,
    CASE WHEN lower(trim(replace(replace(c.disposition, '-', ' '), '_', ' '))) IN ('answered', 'transferred') THEN 'answered'
      WHEN lower(trim(replace(replace(c.disposition, '-', ' '), '_', ' '))) IN ('no answer', 'busy', 'failed', 'voicemail', 'abandoned') THEN 'missed' ELSE 'other' END AS outcome,
    nullif(c.caller_id, '') AS caller,
    c.call_id IN (SELECT call_id FROM first_calls) AS is_first,
    lower(trim(replace(replace(c.disposition, '-', ' '), '_', ' '))) IN ('answered', 'transferred') AND c.duration >= 60 AS is_qualified,
    c.duration AS seconds,
    c.call_started
  FROM calls AS c  
  WHERE c.gone_at IS NULL
)
GROUP BY campaign, campaign_id
ORDER BY calls DESC, campaign, campaign_id;--> statement-breakpoint
CREATE VIEW `rollup_gclid` AS WITH first_calls AS MATERIALIZED (SELECT call_id FROM (
    SELECT call_id, row_number() OVER (PARTITION BY caller_id ORDER BY call_started NULLS LAST, call_id) AS place
    FROM calls WHERE gone_at IS NULL AND caller_id <> ''
  ) WHERE place = 1)
SELECT gclid,
  count(*) AS calls,
  count(*) FILTER (WHERE outcome = 'answered') AS answered_calls,
  count(*) FILTER (WHERE outcome = 'missed') AS missed_calls,
  count(*) FILTER (WHERE outcome = 'other') AS other_calls,
  round(1.0 * count(*) FILTER (WHERE outcome = 'answered') / count(*), 4) AS answer_rate,
  count(DISTINCT caller) AS unique_callers,
  count(*) FILTER (WHERE is_first) AS first_time_callers,
  count(*) FILTER (WHERE is_qualified) AS qualified_calls,
  coalesce(sum(seconds), 0) AS total_duration_seconds,
  round(avg(seconds), 1) AS average_duration_seconds,
  min(call_started) AS first_call_at,
  max(call_started) AS last_call_at
FROM (
  SELECT coalesce(nullif(trim(c.gclid, char(9,10,11,12,13,32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279)), ''), '(not set)') AS gclid,
    CASE WHEN lower(trim(replace(replace(c.disposition, '-', ' '), '_', ' '))) IN ('answered', 'transferred') THEN 'answered'
      WHEN lower(trim(replace(replace(c.disposition, '-', ' '), '_', ' '))) IN ('no answer', 'busy', 'failed', 'voicemail', 'abandoned') THEN 'missed' ELSE 'other' END AS outcome,
    nullif(c.caller_id, '') AS caller,
    c.call_id IN (SELECT call_id FROM first_calls) AS is_first,
    lower(trim(replace(replace(c.disposition, '-', ' '), '_', ' '))) IN ('answered', 'transferred') AND c.duration >= 60 AS is_qualified,
    c.duration AS seconds,
    c.call_started
  FROM calls AS c 
  WHERE c.gone_at IS NULL
)
GROUP BY gclid
ORDER BY calls DESC, gclid;--> statement-breakpoint
CREATE VIEW `rollup_utm_source` AS WITH first_calls AS MATERIALIZED (SELECT call_id FROM (
    SELECT call_id, row_number() OVER (PARTITION BY caller_id ORDER BY call_started NULLS LAST, call_id) AS place
    FROM calls WHERE gone_at IS NULL AND caller_id <> ''
  ) WHERE place = 1)
SELECT utm_source,
  count(*) AS calls,
  count(*) FILTER (WHERE outcome = 'answered') AS answered_calls,
  count(*) FILTER (WHERE outcome = 'missed') AS missed_calls,
  count(*) FILTER (WHERE outcome = 'other') AS other_calls,
  round(1.0 * count(*) FILTER (WHERE outcome = 'answered') / count(*), 4) AS answer_rate,
  count(DISTINCT caller) AS unique_callers,
  count(*) FILTER (WHERE is_first) AS first_time_callers,
  count(*) FILTER (WHERE is_qualified) AS qualified_calls,
  coalesce(sum(seconds), 0) AS total_duration_seconds,
  round(avg(seconds), 1) AS average_duration_seconds,
  min(call_started) AS first_call_at,
  max(call_started) AS last_call_at
FROM (
  SELECT coalesce(nullif(utm_source_value.folded, ''), '(not set)') AS utm_source,
    CASE WHEN lower(trim(replace(replace(c.disposition, '-', ' '), '_', ' '))) IN ('answered', 'transferred') THEN 'answered'
      WHEN lower(trim(replace(replace(c.disposition, '-', ' '), '_', ' '))) IN ('no answer', 'busy', 'failed', 'voicemail', 'abandoned') THEN 'missed' ELSE 'other' END AS outcome,
    nullif(c.caller_id, '') AS caller,
    c.call_id IN (SELECT call_id FROM first_calls) AS is_first,
    lower(trim(replace(replace(c.disposition, '-', ' '), '_', ' '))) IN ('answered', 'transferred') AND c.duration >= 60 AS is_qualified,
    c.duration AS seconds,
    c.call_started
  FROM calls AS c LEFT JOIN utm_values AS utm_source_value ON utm_source_value.raw = c.utm_source
  WHERE c.gone_at IS NULL
)
GROUP BY utm_source
ORDER BY calls DESC, utm_source;