CREATE TABLE `agent_relations` (
	`id` text PRIMARY KEY NOT NULL,
	`schema_id` text NOT NULL,
	`source_id` text NOT NULL,
	`target_id` text NOT NULL,
	`config` text,
	`created_at` text NOT NULL,
	FOREIGN KEY (`schema_id`) REFERENCES `schemas`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`source_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`target_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `agent_relations_pair` ON `agent_relations` (`schema_id`,`source_id`,`target_id`);--> statement-breakpoint
CREATE INDEX `agent_relations_source` ON `agent_relations` (`source_id`);--> statement-breakpoint
CREATE INDEX `agent_relations_target` ON `agent_relations` (`target_id`);--> statement-breakpoint
CREATE TABLE `capabilities` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`type` text NOT NULL,
	`config` text NOT NULL,
	`enabled` integer NOT NULL,
	`created_at` text NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `capabilities_agent_type` ON `capabilities` (`agent_id`,`type`);--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`owner` text NOT NULL,
	`key` text NOT NULL,
	`body_hash` text NOT NULL,
	`session_id` text NOT NULL,
	`turn_id` text NOT NULL,
	`after_seq` integer NOT NULL,
	`created_at` text NOT NULL,
	PRIMARY KEY(`owner`, `key`),
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `idempotency_keys_created` ON `idempotency_keys` (`created_at`);--> statement-breakpoint
CREATE INDEX `idempotency_keys_session` ON `idempotency_keys` (`session_id`);--> statement-breakpoint
CREATE TABLE `interrupts` (
	`id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`turn_id` text NOT NULL,
	`run_id` text,
	`call_id` text NOT NULL,
	`kind` text NOT NULL,
	`status` text NOT NULL,
	`created_at` text NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `interrupts_session_status` ON `interrupts` (`session_id`,`status`);--> statement-breakpoint
CREATE TABLE `memory_entries` (
	`id` text PRIMARY KEY NOT NULL,
	`schema_id` text NOT NULL,
	`user_sub` text NOT NULL,
	`agent_id` text NOT NULL,
	`content` text NOT NULL,
	`metadata` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	FOREIGN KEY (`schema_id`) REFERENCES `schemas`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `memory_entries_owner` ON `memory_entries` (`schema_id`,`user_sub`,`created_at`);--> statement-breakpoint
CREATE INDEX `memory_entries_agent` ON `memory_entries` (`agent_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `tool_calls` (
	`id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`call_id` text NOT NULL,
	`agent_name` text NOT NULL,
	`tool_name` text NOT NULL,
	`input` text NOT NULL,
	`output` text NOT NULL,
	`status` text NOT NULL,
	`duration_ms` integer NOT NULL,
	`user_id` text NOT NULL,
	`created_at` text NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tool_calls_call` ON `tool_calls` (`session_id`,`call_id`);--> statement-breakpoint
CREATE INDEX `tool_calls_created` ON `tool_calls` (`created_at`);--> statement-breakpoint
CREATE INDEX `tool_calls_session_created` ON `tool_calls` (`session_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `tool_calls_agent_created` ON `tool_calls` (`agent_name`,`created_at`);--> statement-breakpoint
CREATE INDEX `tool_calls_tool_created` ON `tool_calls` (`tool_name`,`created_at`);--> statement-breakpoint
CREATE INDEX `tool_calls_status_created` ON `tool_calls` (`status`,`created_at`);--> statement-breakpoint
CREATE INDEX `tool_calls_user_created` ON `tool_calls` (`user_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `usage_counters` (
	`subject` text PRIMARY KEY NOT NULL,
	`started_at` text NOT NULL,
	`turns` integer NOT NULL,
	`steps` integer NOT NULL,
	`prompt_tokens` integer NOT NULL,
	`completion_tokens` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `usage_limits` (
	`scope` text PRIMARY KEY NOT NULL,
	`unit` text NOT NULL,
	`limit_value` integer NOT NULL,
	`interval_seconds` integer NOT NULL,
	`enabled` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `events` ADD `run_id` text;