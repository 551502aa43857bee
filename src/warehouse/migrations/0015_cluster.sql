CREATE TABLE `changed_buckets` (
	`change_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`bucket` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `changed_buckets_bucket_unique` ON `changed_buckets` (`bucket`);--> statement-breakpoint
CREATE TABLE `publications` (
	`target` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`attempted_at` text NOT NULL,
	`error` text,
	`published_at` text,
	`run_id` integer,
	`calls` integer,
	`change_id` integer,
	`act_id` integer,
	`hashed_at` text,
	`totals` text
);
