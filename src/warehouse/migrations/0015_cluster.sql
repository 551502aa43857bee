CREATE TABLE `publications` (
	`target` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`attempted_at` text NOT NULL,
	`error` text,
	`published_at` text,
	`run_id` integer,
	`calls` integer
);
