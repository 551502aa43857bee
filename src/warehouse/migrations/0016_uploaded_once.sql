PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_exports` (
	`export_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`exported_at` text,
	`path` text NOT NULL,
	`sha256` text NOT NULL,
	`rows` integer NOT NULL,
	`filter` text NOT NULL,
	`run_id` integer
);
--> statement-breakpoint
INSERT INTO `__new_exports`("export_id", "exported_at", "path", "sha256", "rows", "filter", "run_id") SELECT "export_id", "exported_at", "path", "sha256", "rows", "filter", "run_id" FROM `exports`;--> statement-breakpoint
DROP TABLE `exports`;--> statement-breakpoint
ALTER TABLE `__new_exports` RENAME TO `exports`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
ALTER TABLE `upload_files` ADD `draft` text;--> statement-breakpoint
ALTER TABLE `upload_files` ADD `rewrites` integer;--> statement-breakpoint
ALTER TABLE `upload_files` ADD `caller_key` text;--> statement-breakpoint
ALTER TABLE `upload_files` DROP COLUMN `state`;--> statement-breakpoint
ALTER TABLE `uploads` ADD `key_digest` text;