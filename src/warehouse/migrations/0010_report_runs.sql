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
	`folder` text,
	`files` text,
	`error` text,
	`process` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `report_runs_by_report` ON `report_runs` (`report`,`report_run_id`);