CREATE TABLE `audit_entries` (
	`id` text PRIMARY KEY NOT NULL,
	`timestamp` text NOT NULL,
	`actor_type` text NOT NULL,
	`actor_id` text NOT NULL,
	`action` text NOT NULL,
	`resource` text NOT NULL,
	`details` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_entries_timestamp` ON `audit_entries` (`timestamp`);--> statement-breakpoint
CREATE INDEX `audit_entries_actor_type` ON `audit_entries` (`actor_type`,`timestamp`);--> statement-breakpoint
CREATE INDEX `audit_entries_action` ON `audit_entries` (`action`,`timestamp`);--> statement-breakpoint
CREATE INDEX `audit_entries_resource` ON `audit_entries` (`resource`,`timestamp`);