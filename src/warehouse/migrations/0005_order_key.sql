ALTER TABLE `calls` ADD `absent_since` text;--> statement-breakpoint
ALTER TABLE `calls` ADD `absent_passes` integer;--> statement-breakpoint
ALTER TABLE `sync_pages` ADD `order_members` text;--> statement-breakpoint
ALTER TABLE `sync_pages` ADD `is_old` integer;--> statement-breakpoint
ALTER TABLE `sync_runs` ADD `advice` text;--> statement-breakpoint
ALTER TABLE `sync_runs` ADD `order_key` text;--> statement-breakpoint
ALTER TABLE `sync_runs` ADD `sort` text;--> statement-breakpoint
ALTER TABLE `sync_runs` ADD `calls_conflicting` integer;--> statement-breakpoint
ALTER TABLE `sync_runs` ADD `clock_ahead_ms` integer;