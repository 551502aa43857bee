CREATE TABLE `backups` (
	`path` text PRIMARY KEY NOT NULL,
	`backed_up_at` text NOT NULL
);
--> statement-breakpoint
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
CREATE TABLE `privacy_acts` (
	`act_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` text NOT NULL,
	`act` text NOT NULL,
	`counts` text NOT NULL,
	`erased_at` text
);
--> statement-breakpoint
CREATE TABLE `retention` (
	`kind` text PRIMARY KEY NOT NULL,
	`pruned_before` text NOT NULL
);
--> statement-breakpoint
ALTER TABLE `calls` ADD `withheld` text;--> statement-breakpoint
ALTER TABLE `calls` ADD `caller_digest` text;--> statement-breakpoint
ALTER TABLE `rules` ADD `caller_key` text;