ALTER TABLE `sync_runs` ADD `plan_reason` text;--> statement-breakpoint
ALTER TABLE `sync_runs` ADD `pid` integer;--> statement-breakpoint
ALTER TABLE `sync_runs` ADD `resumed` integer;--> statement-breakpoint
ALTER TABLE `sync_runs` ADD `call_order` text;--> statement-breakpoint
ALTER TABLE `sync_runs` ADD `calls_missing` integer;--> statement-breakpoint
ALTER TABLE `sync_runs` ADD `calls_gone` integer;--> statement-breakpoint
ALTER TABLE `sync_runs` ADD `calls_returned` integer;--> statement-breakpoint
ALTER TABLE `sync_runs` ADD `calls_withheld` integer;--> statement-breakpoint
ALTER TABLE `sync_runs` ADD `not_before` text;