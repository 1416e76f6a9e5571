CREATE TABLE `graph_bundles` (
	`bundle_name` text PRIMARY KEY NOT NULL,
	`version` text NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `graph_entities` (
	`id` integer PRIMARY KEY NOT NULL,
	`type_id` integer NOT NULL,
	`entity_id` text NOT NULL,
	`data` text NOT NULL,
	`schema_hash` text NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	FOREIGN KEY (`type_id`) REFERENCES `graph_schemas`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `graph_entities_id` ON `graph_entities` (`type_id`,`entity_id`);--> statement-breakpoint
CREATE TABLE `graph_schemas` (
	`id` integer PRIMARY KEY NOT NULL,
	`bundle_name` text NOT NULL,
	`entity_type` text NOT NULL,
	`schema_json` text NOT NULL,
	`schema_hash` text NOT NULL,
	`id_field` text NOT NULL,
	`expose_tools` text NOT NULL,
	`tool_description` text,
	`entity_count` integer NOT NULL,
	`data_bytes` integer NOT NULL,
	FOREIGN KEY (`bundle_name`) REFERENCES `graph_bundles`(`bundle_name`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `graph_schemas_type` ON `graph_schemas` (`bundle_name`,`entity_type`);--> statement-breakpoint
CREATE TABLE `graph_values` (
	`type_id` integer NOT NULL,
	`field` integer NOT NULL,
	`entity_id` text NOT NULL,
	`value` blob NOT NULL,
	PRIMARY KEY(`type_id`, `field`, `entity_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `graph_values_order` ON `graph_values` (`type_id`,`field`,`value`,`entity_id`);