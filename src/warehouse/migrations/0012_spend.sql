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
CREATE INDEX `spend_day_source` ON `spend` (`day`,`source`);