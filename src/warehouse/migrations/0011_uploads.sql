CREATE TABLE `upload_files` (
	`upload_file_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`contents` text NOT NULL,
	`path` text NOT NULL,
	`sha256` text NOT NULL,
	`rows` integer NOT NULL,
	`written_at` text NOT NULL,
	`state` text NOT NULL,
	`process` text NOT NULL,
	`report_run_id` integer,
	`forgotten_at` text
);
--> statement-breakpoint
CREATE INDEX `upload_files_path` ON `upload_files` (`path`);--> statement-breakpoint
CREATE TABLE `uploads` (
	`upload_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`upload_file_id` integer NOT NULL,
	`conversion_name` text NOT NULL,
	`call_id` integer NOT NULL,
	`order_id` text,
	`action` text NOT NULL,
	`reason` text,
	`value` text,
	`currency` text,
	`occurred_at` text NOT NULL,
	`is_every` integer NOT NULL,
	FOREIGN KEY (`upload_file_id`) REFERENCES `upload_files`(`upload_file_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `uploads_call` ON `uploads` (`call_id`);--> statement-breakpoint
CREATE INDEX `uploads_file` ON `uploads` (`upload_file_id`);