CREATE TABLE `mcp_server_links` (
	`server_id` text NOT NULL,
	`agent_id` text NOT NULL,
	PRIMARY KEY(`server_id`, `agent_id`),
	FOREIGN KEY (`server_id`) REFERENCES `mcp_servers`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `mcp_server_links_agent` ON `mcp_server_links` (`agent_id`);--> statement-breakpoint
CREATE TABLE `mcp_servers` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`type` text NOT NULL,
	`command` text,
	`args` text NOT NULL,
	`url` text,
	`sealed_env_vars` text NOT NULL,
	`forward_headers` text NOT NULL,
	`auth_type` text NOT NULL,
	`auth_key_env` text,
	`auth_token_env` text,
	`auth_client_id` text,
	`catalog_refresh_interval_seconds` integer,
	`enabled` integer NOT NULL,
	`is_trusted` integer NOT NULL,
	`tool_digests` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `mcp_servers_name_unique` ON `mcp_servers` (`name`);