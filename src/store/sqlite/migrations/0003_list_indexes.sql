CREATE INDEX `memory_entries_schema` ON `memory_entries` (`schema_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `sessions_created` ON `sessions` (`created_at`);--> statement-breakpoint
CREATE INDEX `sessions_schema` ON `sessions` (`schema_id`);