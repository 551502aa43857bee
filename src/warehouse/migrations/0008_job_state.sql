CREATE TABLE `jobs` (
	`job` text PRIMARY KEY NOT NULL,
	`started_at` text NOT NULL,
	`finished_at` text,
	`exit_code` integer,
	`error` text,
	`succeeded_at` text,
	`failing_since` text
);
