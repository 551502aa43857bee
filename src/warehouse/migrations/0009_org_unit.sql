ALTER TABLE `insights` ADD `start_date_parsed` text;--> statement-breakpoint
ALTER TABLE `insights` ADD `indicator_start_date_parsed` text;--> statement-breakpoint
ALTER TABLE `insights` ADD `indicator_end_date_parsed` text;--> statement-breakpoint
ALTER TABLE `origin` ADD `org_unit_id` text;--> statement-breakpoint
ALTER TABLE `sync_runs` ADD `calls_other_unit` integer;--> statement-breakpoint
UPDATE `insights` SET
  `start_date_parsed` = nullif(`start_date`, ''), `start_date` = replace(`start_date`, 'T', ' '),
  `indicator_start_date_parsed` = nullif(`indicator_start_date`, ''), `indicator_start_date` = replace(`indicator_start_date`, 'T', ' '),
  `indicator_end_date_parsed` = nullif(`indicator_end_date`, ''), `indicator_end_date` = replace(`indicator_end_date`, 'T', ' ');
