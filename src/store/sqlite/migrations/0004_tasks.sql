CREATE TABLE `task_blockers` (
	`blocker_id` text NOT NULL,
	`task_id` text NOT NULL,
	PRIMARY KEY(`blocker_id`, `task_id`),
	FOREIGN KEY (`task_id`) REFERENCES `tasks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `task_blockers_task` ON `task_blockers` (`task_id`);--> statement-breakpoint
CREATE TABLE `tasks` (
	`id` text PRIMARY KEY NOT NULL,
	`title` text NOT NULL,
	`description` text NOT NULL,
	`agent_id` text NOT NULL,
	`user_sub` text NOT NULL,
	`mode` text NOT NULL,
	`priority` integer NOT NULL,
	`acceptance_criteria` text NOT NULL,
	`blocked_by` text NOT NULL,
	`open_blockers` integer NOT NULL,
	`parent_task_id` text,
	`depth` integer NOT NULL,
	`status` text NOT NULL,
	`session_id` text,
	`work_session_id` text,
	`turn_id` text,
	`result` text,
	`error` text,
	`created_at` text NOT NULL,
	`approved_at` text,
	`started_at` text,
	`completed_at` text
);
--> statement-breakpoint
CREATE INDEX `tasks_created` ON `tasks` (`created_at`);--> statement-breakpoint
CREATE INDEX `tasks_status_created` ON `tasks` (`status`,`created_at`);--> statement-breakpoint
CREATE INDEX `tasks_parent` ON `tasks` (`parent_task_id`);--> statement-breakpoint
CREATE INDEX `tasks_session` ON `tasks` (`session_id`);--> statement-breakpoint
CREATE INDEX `tasks_work_session` ON `tasks` (`work_session_id`);--> statement-breakpoint
CREATE INDEX `tasks_turn` ON `tasks` (`turn_id`);--> statement-breakpoint
CREATE INDEX `tasks_claimable` ON `tasks` ("priority" desc,`created_at`) WHERE "tasks"."mode" = 'background' and "tasks"."open_blockers" = 0 and +"tasks"."status" in ('pending', 'approved');--> statement-breakpoint
CREATE INDEX `tasks_begun` ON `tasks` (`work_session_id`) WHERE +"tasks"."turn_id" is not null and +"tasks"."status" in ('in_progress', 'needs_input');