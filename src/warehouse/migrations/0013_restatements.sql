CREATE TABLE `exported_rollups` (
	`exported_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`path` text NOT NULL,
	`contents` text NOT NULL,
	`question` text NOT NULL,
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
	`is_qualified` integer,
	`is_first_call` integer,
	`caller` text,
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
	`disposition` text
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
	`given_out_at` text NOT NULL,
	`reasons` text NOT NULL,
	`rules_changed` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `restatements_once` ON `restatements` (`path`,`contents`,`given_out_at`,`period`,`key`,`metric`);