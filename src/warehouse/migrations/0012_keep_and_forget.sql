CREATE TABLE `privacy_acts` (
	`act_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` text NOT NULL,
	`act` text NOT NULL,
	`counts` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `retention` (
	`kind` text PRIMARY KEY NOT NULL,
	`pruned_before` text NOT NULL
);
--> statement-breakpoint
ALTER TABLE `calls` ADD `withheld` text;--> statement-breakpoint
ALTER TABLE `calls` ADD `content_hash` text;--> statement-breakpoint
ALTER TABLE `calls` ADD `caller_digest` text;--> statement-breakpoint
ALTER TABLE `rules` ADD `caller_key` text;