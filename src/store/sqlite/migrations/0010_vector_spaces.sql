DROP TABLE `knowledge_vectors`;--> statement-breakpoint
CREATE TABLE `knowledge_vectors` (
	`id` integer PRIMARY KEY NOT NULL,
	`chunk_id` integer NOT NULL,
	`space` text NOT NULL,
	`vector` blob NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `knowledge_vectors_chunk` ON `knowledge_vectors` (`chunk_id`,`space`);--> statement-breakpoint
CREATE TABLE `knowledge_sketches` (
	`id` integer PRIMARY KEY NOT NULL,
	`file_id` text NOT NULL,
	`space` text NOT NULL,
	`vector_ids` blob NOT NULL,
	`signs` blob NOT NULL,
	FOREIGN KEY (`file_id`) REFERENCES `knowledge_files`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `knowledge_sketches_file` ON `knowledge_sketches` (`file_id`,`space`);--> statement-breakpoint
CREATE INDEX `knowledge_sketches_stale` ON `knowledge_sketches` (`space`) WHERE "knowledge_sketches"."space" = '';--> statement-breakpoint
ALTER TABLE `knowledge_bases` ADD `vector_space` text;--> statement-breakpoint
ALTER TABLE `knowledge_files` ADD `vector_space` text;
