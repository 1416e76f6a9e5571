CREATE TABLE `agents` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`system` text NOT NULL,
	`model_id` integer,
	`lifecycle` text NOT NULL,
	`tool_execution` text NOT NULL,
	`tools` text NOT NULL,
	`confirm_before` text NOT NULL,
	`max_steps` integer NOT NULL,
	`max_context_size` integer NOT NULL,
	`max_turn_duration` integer NOT NULL,
	`max_step_duration` integer NOT NULL,
	`temperature` real,
	`top_p` real,
	`max_tokens` integer,
	`stop_sequences` text NOT NULL,
	`is_system` integer NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	FOREIGN KEY (`model_id`) REFERENCES `models`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `agents_name_unique` ON `agents` (`name`);--> statement-breakpoint
CREATE TABLE `events` (
	`session_id` text NOT NULL,
	`seq` integer NOT NULL,
	`id` text NOT NULL,
	`turn_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`type` text NOT NULL,
	`call_id` text,
	`payload` text NOT NULL,
	`created_at` text NOT NULL,
	PRIMARY KEY(`session_id`, `seq`),
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `jobs` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`key` text NOT NULL,
	`state` text NOT NULL,
	`payload` text NOT NULL,
	`owner` text,
	`lease_until_ms` integer,
	`attempts` integer NOT NULL,
	`created_at` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `jobs_one_running` ON `jobs` (`key`) WHERE "jobs"."state" = 'running';--> statement-breakpoint
CREATE INDEX `jobs_key` ON `jobs` (`key`);--> statement-breakpoint
CREATE TABLE `models` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`type` text NOT NULL,
	`kind` text NOT NULL,
	`base_url` text,
	`model_name` text NOT NULL,
	`sealed_api_key` text,
	`api_version` text,
	`embedding_dim` integer,
	`is_default` integer NOT NULL,
	`extra_body` text,
	`cache_control` text,
	`created_at` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `models_name_unique` ON `models` (`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `models_one_default` ON `models` (`is_default`) WHERE "models"."is_default" = 1;--> statement-breakpoint
CREATE TABLE `schemas` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`entry_agent_id` text,
	`chat_enabled` integer NOT NULL,
	`is_system` integer NOT NULL,
	`chat_last_fired_at` text,
	`created_at` text NOT NULL,
	FOREIGN KEY (`entry_agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `schemas_name_unique` ON `schemas` (`name`);--> statement-breakpoint
CREATE INDEX `schemas_entry_agent` ON `schemas` (`entry_agent_id`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`title` text,
	`schema_id` text,
	`user_sub` text,
	`status` text NOT NULL,
	`metadata` text NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	FOREIGN KEY (`schema_id`) REFERENCES `schemas`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `sessions_updated` ON `sessions` (`updated_at`);--> statement-breakpoint
CREATE INDEX `sessions_user_updated` ON `sessions` (`user_sub`,`updated_at`);--> statement-breakpoint
CREATE INDEX `sessions_status_updated` ON `sessions` (`status`,`updated_at`);--> statement-breakpoint
CREATE TABLE `settings` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`updated_at` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`scopes_mask` integer NOT NULL,
	`created_at` text NOT NULL,
	`last_used_at` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tokens_name_unique` ON `tokens` (`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `tokens_hash_unique` ON `tokens` (`hash`);