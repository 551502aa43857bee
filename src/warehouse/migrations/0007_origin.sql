CREATE TABLE `origin` (
	`warehouse_id` text PRIMARY KEY NOT NULL,
	`base_url` text,
	`account` text,
	`token_mark` text,
	`is_demo` integer DEFAULT false NOT NULL,
	`bound_at` text
);
--> statement-breakpoint
INSERT INTO `origin` (`warehouse_id`) VALUES (lower(hex(randomblob(16))));
