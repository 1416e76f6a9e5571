CREATE TABLE `oauth_grants` (
	`id` text PRIMARY KEY NOT NULL,
	`client_uuid` text NOT NULL,
	`client_name` text NOT NULL,
	`redirect_place` text NOT NULL,
	`scope` text NOT NULL,
	`resource` text NOT NULL,
	`subject` text NOT NULL,
	`created_at` text NOT NULL,
	`revoked_at` text
);
--> statement-breakpoint
CREATE INDEX `oauth_grants_client` ON `oauth_grants` (`client_uuid`);--> statement-breakpoint
CREATE TABLE `oauth_secrets` (
	`hash` text PRIMARY KEY NOT NULL,
	`grant_id` text NOT NULL,
	`kind` text NOT NULL,
	`redirect_uri` text,
	`code_challenge` text,
	`expires_at` text NOT NULL,
	`used_at` text,
	FOREIGN KEY (`grant_id`) REFERENCES `oauth_grants`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `oauth_secrets_grant` ON `oauth_secrets` (`grant_id`);--> statement-breakpoint
CREATE INDEX `oauth_secrets_expires` ON `oauth_secrets` (`expires_at`);