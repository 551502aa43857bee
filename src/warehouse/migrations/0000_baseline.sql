CREATE TABLE `upload_files` (
	`upload_file_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`contents` text NOT NULL,
	`path` text NOT NULL,
	`sha256` text NOT NULL,
	`rows` integer NOT NULL,
	`written_at` text NOT NULL,
	`draft` text,
	`process` text NOT NULL,
	`rewrites` integer,
	`replaced_sha256` text,
	`caller_key` text,
	`report_run_id` integer,
	`forgotten_at` text
);
--> statement-breakpoint
CREATE INDEX `upload_files_path` ON `upload_files` (`path`);--> statement-breakpoint
CREATE TABLE `uploads` (
	`upload_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`upload_file_id` integer NOT NULL,
	`conversion_name` text NOT NULL,
	`call_id` integer NOT NULL,
	`key_digest` text,
	`order_id` text,
	`action` text NOT NULL,
	`reason` text,
	`value` text,
	`currency` text,
	`occurred_at` text NOT NULL,
	`is_every` integer NOT NULL,
	`qualify` text NOT NULL,
	FOREIGN KEY (`upload_file_id`) REFERENCES `upload_files`(`upload_file_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `uploads_call` ON `uploads` (`call_id`);--> statement-breakpoint
CREATE INDEX `uploads_file` ON `uploads` (`upload_file_id`);--> statement-breakpoint
CREATE TABLE `insight_changes` (
	`change_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`insight_id` integer NOT NULL,
	`seen_at` text NOT NULL,
	`member` text NOT NULL,
	`before` text NOT NULL,
	`after` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `insight_groups` (
	`insight_id` integer NOT NULL,
	`group_id` integer NOT NULL,
	PRIMARY KEY(`insight_id`, `group_id`),
	FOREIGN KEY (`insight_id`) REFERENCES `insights`(`insight_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `insights` (
	`insight_id` integer PRIMARY KEY NOT NULL,
	`insight_name` text,
	`insight_type` text,
	`insight_help` text,
	`indicator_score_type` text,
	`insight_status` text,
	`indicator_active` integer,
	`is_custom_ai` integer,
	`llm_config` text,
	`keyword_config` text,
	`draft_details` text,
	`hit_outcome_by` text,
	`hit_keywords` text,
	`hit_mention` text,
	`miss_outcome_by` text,
	`miss_keywords` text,
	`miss_mention` text,
	`insight_output` text,
	`insight_guideline` text,
	`insight_description` text,
	`insight_example` text,
	`start_date` text,
	`indicator_start_date` text,
	`indicator_end_date` text,
	`start_date_parsed` text,
	`indicator_start_date_parsed` text,
	`indicator_end_date_parsed` text,
	`indicator_group_active` integer,
	`scorecards` integer,
	`creation_date` text,
	`last_updated` text,
	`created_at` text,
	`updated_at` text,
	`created_by` integer,
	`updated_by` integer,
	`deleted_at` text,
	`deleted_by` integer,
	`extra` text,
	`fetched_at` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `notices` (
	`notice_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`dimension` text NOT NULL,
	`key` text NOT NULL,
	`kind` text NOT NULL,
	`since` text NOT NULL,
	`calls` integer NOT NULL,
	`expected` real NOT NULL,
	`judged_until` text NOT NULL,
	`news` integer NOT NULL,
	`noticed_at` text NOT NULL,
	`run_id` integer NOT NULL,
	`ended_at` text,
	`end_reason` text,
	`end_noticed_at` text
);
--> statement-breakpoint
CREATE INDEX `notices_ended` ON `notices` (`ended_at`);--> statement-breakpoint
CREATE TABLE `watched_days` (
	`day` text NOT NULL,
	`kind` text NOT NULL,
	`keys` text,
	`cells` blob NOT NULL,
	`delays` text NOT NULL,
	PRIMARY KEY(`day`, `kind`)
);
--> statement-breakpoint
CREATE TABLE `exported_rollups` (
	`exported_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`path` text NOT NULL,
	`contents` text NOT NULL,
	`question` text NOT NULL,
	`command` text NOT NULL,
	`metrics` text NOT NULL,
	`range_from` text,
	`range_to` text,
	`first_day` text,
	`last_day` text,
	`settled_until` text NOT NULL,
	`exported_at` text NOT NULL,
	`change_id` integer NOT NULL,
	`rules_id` integer NOT NULL,
	`run_id` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `exported_rollups_by_path` ON `exported_rollups` (`path`,`contents`);--> statement-breakpoint
CREATE TABLE `exported_rows` (
	`exported_id` integer NOT NULL,
	`period` text NOT NULL,
	`key` text NOT NULL,
	`figures` text NOT NULL,
	PRIMARY KEY(`exported_id`, `period`, `key`),
	FOREIGN KEY (`exported_id`) REFERENCES `exported_rollups`(`exported_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `restatements` (
	`restatement_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`found_at` text NOT NULL,
	`path` text NOT NULL,
	`contents` text NOT NULL,
	`period` text NOT NULL,
	`starts_at` text NOT NULL,
	`ends_at` text NOT NULL,
	`key` text NOT NULL,
	`metric` text NOT NULL,
	`was` text NOT NULL,
	`now` text NOT NULL,
	`change` real,
	`exported_at` text NOT NULL,
	`reasons` text NOT NULL,
	`rules_changed` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `restatements_once` ON `restatements` (`path`,`contents`,`exported_at`,`period`,`key`,`metric`);--> statement-breakpoint
CREATE TABLE `spend_imports` (
	`import_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`imported_at` text NOT NULL,
	`file` text NOT NULL,
	`source` text NOT NULL,
	`first_day` text NOT NULL,
	`last_day` text NOT NULL,
	`rows` integer NOT NULL,
	`cost_micros` integer NOT NULL,
	`currency` text NOT NULL,
	`replaced_by` integer,
	`removed_at` text
);
--> statement-breakpoint
CREATE TABLE `webhook_changes` (
	`change_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`webhook_id` integer NOT NULL,
	`sent_at` text NOT NULL,
	`method` text NOT NULL,
	`body` text NOT NULL,
	`outcome` text NOT NULL,
	`answer` text,
	`request_id` text
);
--> statement-breakpoint
CREATE TABLE `deliveries` (
	`delivery_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`report_run_id` integer NOT NULL,
	`channel` text NOT NULL,
	`recipient` text NOT NULL,
	`status` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`last_error` text,
	`started_at` text,
	`finished_at` text,
	`message_id` text,
	`process` text,
	FOREIGN KEY (`report_run_id`) REFERENCES `report_runs`(`report_run_id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `deliveries_once` ON `deliveries` (`report_run_id`,`channel`,`recipient`);--> statement-breakpoint
CREATE TABLE `report_runs` (
	`report_run_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`report` text NOT NULL,
	`account` text,
	`scheduled_for` text,
	`started_at` text NOT NULL,
	`finished_at` text,
	`status` text NOT NULL,
	`verdict` text,
	`range_from` text,
	`range_to` text,
	`is_stale` integer DEFAULT false NOT NULL,
	`news_until` integer,
	`folder` text,
	`files` text,
	`error` text,
	`process` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `report_runs_by_report` ON `report_runs` (`report`,`report_run_id`);--> statement-breakpoint
CREATE TABLE `backups` (
	`path` text PRIMARY KEY NOT NULL,
	`backed_up_at` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `callers` (
	`caller_id` integer PRIMARY KEY NOT NULL,
	`caller` text NOT NULL,
	`first_call_id` integer,
	`first_call_started` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `callers_caller_unique` ON `callers` (`caller`);--> statement-breakpoint
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
	`gone_at` text,
	`absent_since` text,
	`absent_passes` integer,
	`unlisted_since` text,
	`served_hash` text,
	`withheld` text,
	`caller_digest` text
);
--> statement-breakpoint
CREATE INDEX `calls_missing` ON `calls` (`gone_at`) WHERE missing_since IS NOT NULL;--> statement-breakpoint
CREATE INDEX `calls_absent` ON `calls` (`absent_since`) WHERE absent_since IS NOT NULL;--> statement-breakpoint
CREATE INDEX `calls_unlisted` ON `calls` (`unlisted_since`) WHERE unlisted_since IS NOT NULL;--> statement-breakpoint
CREATE INDEX `calls_withheld` ON `calls` (`withheld`) WHERE withheld IS NOT NULL;--> statement-breakpoint
CREATE TABLE `schema_drift` (
	`path` text NOT NULL,
	`kind` text NOT NULL,
	`json_type` text NOT NULL,
	`first_run_id` integer NOT NULL,
	`first_seen_at` text NOT NULL,
	PRIMARY KEY(`path`, `kind`)
);
--> statement-breakpoint
CREATE TABLE `fact_changes` (
	`change_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`call_id` integer NOT NULL,
	`changed_at` text NOT NULL,
	`reason` text NOT NULL,
	`rules_id` integer,
	`is_live` integer,
	`call_started` text,
	`duration` integer,
	`outcome` text,
	`topic` text,
	`is_qualified` integer,
	`in_hours` text,
	`is_first_call` integer,
	`caller_id` integer,
	`source` text,
	`medium` text,
	`campaign` text,
	`campaign_id` text,
	`gclid` text,
	`gclsrc` text,
	`channel` text,
	`referring_host` text,
	`utm_source_folded` text,
	`utm_medium_folded` text,
	`utm_campaign_folded` text,
	`utm_content_folded` text,
	`utm_term_folded` text,
	`insight_name` text,
	`org_unit_id` integer,
	`org_unit_name` text,
	`tracking_number` text,
	`disposition` text,
	`booked` integer,
	`sold` integer,
	`revenue_micros` integer
);
--> statement-breakpoint
CREATE TABLE `call_facts` (
	`call_id` integer PRIMARY KEY NOT NULL,
	`is_live` integer NOT NULL,
	`call_started` text,
	`duration` integer,
	`outcome` text NOT NULL,
	`topic` text,
	`is_qualified` integer NOT NULL,
	`in_hours` text,
	`is_first_call` integer NOT NULL,
	`caller_id` integer,
	`source` text,
	`medium` text,
	`campaign` text,
	`campaign_id` text,
	`gclid` text,
	`gclsrc` text,
	`channel` text NOT NULL,
	`referring_host` text,
	`utm_source_folded` text,
	`utm_medium_folded` text,
	`utm_campaign_folded` text,
	`utm_content_folded` text,
	`utm_term_folded` text,
	`insight_name` text,
	`org_unit_id` integer,
	`org_unit_name` text,
	`tracking_number` text,
	`disposition` text,
	`changed_ms` integer NOT NULL,
	FOREIGN KEY (`call_id`) REFERENCES `calls`(`call_id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`caller_id`) REFERENCES `callers`(`caller_id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `call_facts_caller_id` ON `call_facts` (`caller_id`);--> statement-breakpoint
CREATE INDEX `call_facts_call_started` ON `call_facts` (`call_started`);--> statement-breakpoint
CREATE INDEX `call_facts_campaign_id` ON `call_facts` (`campaign_id`,`campaign`,`is_live`) WHERE "call_facts"."campaign_id" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `forgotten_callers` (
	`digest` text PRIMARY KEY NOT NULL,
	`national_digest` text,
	`pseudonym` text NOT NULL,
	`key_mark` text NOT NULL,
	`forgotten_at` text NOT NULL,
	`calls` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `forgotten_callers_pseudonym` ON `forgotten_callers` (`pseudonym`);--> statement-breakpoint
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
CREATE TABLE `rules` (
	`rules_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`since` text NOT NULL,
	`version` integer NOT NULL,
	`rules` text NOT NULL,
	`calls` integer NOT NULL,
	`caller_key` text
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
CREATE TABLE `campaign_names` (
	`campaign_id` text NOT NULL,
	`campaign` text NOT NULL,
	`calls` integer NOT NULL,
	PRIMARY KEY(`campaign_id`, `campaign`)
);
--> statement-breakpoint
CREATE INDEX `campaign_names_calls` ON `campaign_names` (`campaign_id`,"calls" desc,`campaign`);--> statement-breakpoint
CREATE TABLE `campaigns` (
	`campaign_id` text PRIMARY KEY NOT NULL,
	`campaign` text,
	`changed_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `changed_calls` (
	`change_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`call_id` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `changed_calls_call_id_unique` ON `changed_calls` (`call_id`);--> statement-breakpoint
CREATE TABLE `counts` (
	`name` text PRIMARY KEY NOT NULL,
	`value` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `origin` (
	`warehouse_id` text PRIMARY KEY NOT NULL,
	`base_url` text,
	`org_unit_id` text,
	`account` text,
	`token_mark` text,
	`is_demo` integer DEFAULT false NOT NULL,
	`bound_at` text
);
--> statement-breakpoint
CREATE TABLE `outcome_imports` (
	`import_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`imported_at` text NOT NULL,
	`file` text NOT NULL,
	`source` text NOT NULL,
	`first_day` text,
	`last_day` text,
	`jobs` integer NOT NULL,
	`matched` integer NOT NULL,
	`caller_key` text NOT NULL,
	`replaced_by` integer,
	`removed_at` text
);
--> statement-breakpoint
CREATE TABLE `outcomes` (
	`outcome_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`call_id` integer NOT NULL,
	`day` text NOT NULL,
	`stage` text NOT NULL,
	`amount_micros` integer,
	`currency` text,
	`source` text NOT NULL,
	`job_key` text,
	`import_id` integer NOT NULL,
	FOREIGN KEY (`call_id`) REFERENCES `calls`(`call_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `outcomes_call_id` ON `outcomes` (`call_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `outcomes_job_key` ON `outcomes` (`job_key`) WHERE "outcomes"."job_key" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `privacy_acts` (
	`act_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` text NOT NULL,
	`act` text NOT NULL,
	`counts` text NOT NULL,
	`erased_at` text
);
--> statement-breakpoint
CREATE TABLE `publications` (
	`target` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`attempted_at` text NOT NULL,
	`error` text,
	`published_at` text,
	`run_id` integer,
	`calls` integer,
	`change_id` integer,
	`act_id` integer,
	`hashed_at` text,
	`totals` text
);
--> statement-breakpoint
CREATE TABLE `retention` (
	`kind` text PRIMARY KEY NOT NULL,
	`pruned_before` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `certificates` (
	`run_id` integer PRIMARY KEY NOT NULL,
	`made_at` text NOT NULL,
	`sha256` text NOT NULL,
	`lines` blob NOT NULL,
	FOREIGN KEY (`run_id`) REFERENCES `sync_runs`(`run_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `exports` (
	`export_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`exported_at` text,
	`path` text NOT NULL,
	`sha256` text NOT NULL,
	`rows` integer NOT NULL,
	`filter` text NOT NULL,
	`run_id` integer,
	`manifest_sha256` text NOT NULL,
	`caller_key` text
);
--> statement-breakpoint
CREATE TABLE `jobs` (
	`job` text PRIMARY KEY NOT NULL,
	`started_at` text NOT NULL,
	`finished_at` text,
	`exit_code` integer,
	`error` text,
	`succeeded_at` text,
	`failing_since` text,
	`failed_runs` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE `sync_pages` (
	`run_id` integer NOT NULL,
	`seq` integer NOT NULL,
	`offset` integer NOT NULL,
	`row_count` integer NOT NULL,
	`total` integer NOT NULL,
	`call_ids` text,
	`order_members` text,
	`request_id` text,
	`is_old` integer,
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
	`plan_reason` text,
	`pid` integer,
	`file_checked_at` text,
	`resumed` integer,
	`verdict` text,
	`verdict_reason` text,
	`advice` text,
	`call_order` text,
	`order_key` text,
	`sort` text,
	`first_total` integer,
	`last_total` integer,
	`calls_read` integer,
	`calls_new` integer,
	`calls_changed` integer,
	`calls_unchanged` integer,
	`calls_rejected` integer,
	`calls_missing` integer,
	`calls_gone` integer,
	`calls_unlisted` integer,
	`calls_returned` integer,
	`calls_withheld` integer,
	`gone_after_hours` integer,
	`calls_conflicting` integer,
	`calls_other_unit` integer,
	`pages` integer,
	`page_rows` integer,
	`seams_mended` integer,
	`seams_broken` integer,
	`retries` integer,
	`failed_request_ids` text,
	`clock_ahead_ms` integer,
	`judged_until` text,
	`not_before` text,
	`error` text,
	`elapsed_ms` integer,
	`first_page_at` text,
	`moment_ms` integer,
	`new_ids_hash` integer,
	`row_hash` text
);
--> statement-breakpoint
CREATE TABLE `spend` (
	`spend_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`day` text NOT NULL,
	`source` text NOT NULL,
	`medium` text NOT NULL,
	`campaign` text,
	`campaign_id` text,
	`cost_micros` integer NOT NULL,
	`currency` text NOT NULL,
	`clicks` integer,
	`impressions` integer,
	`file` text NOT NULL,
	`imported_at` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `spend_day_source` ON `spend` (`day`,`source`);--> statement-breakpoint
CREATE TABLE `moment` (
	`moment_ms` integer PRIMARY KEY NOT NULL
);
--> statement-breakpoint
INSERT INTO `counts` (`name`, `value`) VALUES ('calls', 0);--> statement-breakpoint
INSERT INTO `moment` (`moment_ms`) VALUES (0);--> statement-breakpoint
INSERT INTO `origin` (`warehouse_id`) VALUES (lower(hex(randomblob(16))));
