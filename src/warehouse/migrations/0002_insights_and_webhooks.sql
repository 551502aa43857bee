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
