ALTER TABLE `calls` ADD `unlisted_since` text;--> statement-breakpoint
CREATE INDEX `calls_unlisted` ON `calls` (`unlisted_since`) WHERE unlisted_since IS NOT NULL;--> statement-breakpoint
ALTER TABLE `sync_runs` ADD `calls_unlisted` integer;