DROP VIEW IF EXISTS `attributed_calls`;--> statement-breakpoint
DROP VIEW IF EXISTS `rollup_utm_source`;--> statement-breakpoint
DROP VIEW IF EXISTS `rollup_campaign`;--> statement-breakpoint
DROP VIEW IF EXISTS `rollup_gclid`;--> statement-breakpoint
DROP VIEW IF EXISTS `rollup_channel`;--> statement-breakpoint
CREATE TABLE `call_facts` (
	`call_id` integer PRIMARY KEY NOT NULL,
	`is_live` integer NOT NULL,
	`call_started` text,
	`duration` integer,
	`outcome` text NOT NULL,
	`is_qualified` integer NOT NULL,
	`is_first_call` integer NOT NULL,
	`caller` text,
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
	FOREIGN KEY (`call_id`) REFERENCES `calls`(`call_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `call_facts_caller` ON `call_facts` (`caller`);--> statement-breakpoint
CREATE INDEX `call_facts_call_started` ON `call_facts` (`call_started`);--> statement-breakpoint
CREATE TABLE `callers` (
	`caller` text PRIMARY KEY NOT NULL,
	`first_call_id` integer NOT NULL,
	`first_call_started` text,
	`calls` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `counts` (
	`name` text PRIMARY KEY NOT NULL,
	`value` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `rules` (
	`rules_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`since` text NOT NULL,
	`version` integer NOT NULL,
	`rules` text NOT NULL,
	`calls` integer NOT NULL
);
--> statement-breakpoint
DROP TABLE `aliases`;--> statement-breakpoint
DROP TABLE `utm_values`;--> statement-breakpoint
ALTER TABLE `sync_runs` ADD `file_checked_at` text;--> statement-breakpoint
CREATE INDEX `calls_missing` ON `calls` (`gone_at`) WHERE missing_since IS NOT NULL;--> statement-breakpoint
CREATE INDEX `calls_absent` ON `calls` (`absent_since`) WHERE absent_since IS NOT NULL;--> statement-breakpoint
INSERT INTO `counts` (`name`, `value`) SELECT 'calls', count(*) FROM `calls`;
