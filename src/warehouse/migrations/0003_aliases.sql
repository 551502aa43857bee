CREATE TABLE `aliases` (
	`raw` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
DROP VIEW `attributed_calls`;--> statement-breakpoint
DROP VIEW `rollup_campaign`;--> statement-breakpoint
DROP VIEW `rollup_gclid`;--> statement-breakpoint
DROP VIEW `rollup_utm_source`;--> statement-breakpoint
UPDATE utm_values SET folded = '' WHERE folded IN ('null', 'undefined', '(not set)') OR folded GLOB '{*}';
